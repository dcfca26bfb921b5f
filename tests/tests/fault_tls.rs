//! Faults of TLS, and of an arena that is open to the world.

use std::{net::SocketAddr, os::unix::fs::PermissionsExt, time::Duration};

use anyhow::Context;
use broadside_agents::{Access, AccessArgs, Config, DialIn, Random, Seed, profile};
use broadside_arena::{Arena, Settings, store::StorePlace};
use broadside_proto::v1::{self, catalog_service_client::CatalogServiceClient};
use broadside_tests::{
    Authority, PATIENCE, Pair, TestArena,
    hostile::{PREFACE, Peer},
    tls_channel,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
        version::TLS12,
    },
};
use tonic::transport::ClientTlsConfig;

async fn secure(pair: &Pair, change: impl FnOnce(&mut Settings)) -> anyhow::Result<TestArena> {
    TestArena::start_with(|settings| {
        settings.tls_cert = Some(pair.cert.clone());
        settings.tls_key = Some(pair.key.clone());
        change(settings);
    })
    .await
}

async fn asks(address: SocketAddr, tls: ClientTlsConfig) -> anyhow::Result<()> {
    let mut catalog = CatalogServiceClient::new(tls_channel(address, tls).await?);
    catalog.list_variants(v1::ListVariantsRequest {}).await?;
    Ok(())
}

/// Why an arena with these settings does not start.
async fn refusal(change: impl FnOnce(&mut Settings)) -> anyhow::Result<String> {
    let mut settings = Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        store: StorePlace::Memory,
        ..Settings::default()
    };
    change(&mut settings);
    match Arena::bind(settings).await {
        Ok(_) => anyhow::bail!("it started"),
        Err(error) => Ok(format!("{error:#}")),
    }
}

#[tokio::test]
async fn fault_62_files_that_make_no_tls_are_refused_at_start_by_name_and_reason()
-> anyhow::Result<()> {
    let authority = Authority::new()?;
    let good = authority.issue("good")?;
    let other = authority.issue("other")?;
    let expired = authority.issue_until("expired", 2001)?;
    let exposed = authority.issue("exposed")?;
    std::fs::set_permissions(&exposed.key, std::fs::Permissions::from_mode(0o644))?;
    let noise = authority.folder().join("noise.pem");
    std::fs::write(&noise, "no certificate")?;
    let absent = authority.folder().join("absent.pem");
    let mixed = |cert: &Pair, key: &Pair| Pair {
        cert: cert.cert.clone(),
        key: key.key.clone(),
    };
    let with_cert = |cert: &std::path::Path| Pair {
        cert: cert.to_owned(),
        key: good.key.clone(),
    };
    for (pair, file, reason) in [
        (&mixed(&good, &other), "other.key", "not that of"),
        (&expired, "expired.pem", "expired"),
        (&exposed, "exposed.key", "chmod"),
        (&with_cert(&absent), "absent.pem", "cannot be read"),
        (&with_cert(&noise), "noise.pem", "no certificate"),
        (
            &Pair {
                cert: good.cert.clone(),
                key: good.cert.clone(),
            },
            "good.pem",
            "",
        ),
    ] {
        let why = refusal(|settings| {
            settings.tls_cert = Some(pair.cert.clone());
            settings.tls_key = Some(pair.key.clone());
        })
        .await?;
        assert!(why.contains(file) && why.contains(reason), "{why}");
    }
    let why = refusal(|settings| settings.tls_cert = Some(good.cert.clone())).await?;
    assert!(why.contains("tls_key"), "{why}");
    let why = refusal(|settings| settings.tls_client_ca = Some(authority.ca.clone())).await?;
    assert!(why.contains("tls_cert"), "{why}");
    let why = refusal(|settings| settings.dial_ca = Some(noise.clone())).await?;
    assert!(why.contains("noise.pem"), "{why}");
    Ok(())
}

#[tokio::test]
async fn fault_62_a_client_is_served_if_it_trusts_the_arena_and_only_then() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let stranger = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |_| {}).await?;
    asks(arena.address(), authority.trust()?).await?;
    let why = asks(arena.address(), stranger.trust()?).await.unwrap_err();
    assert!(
        format!("{why:#}").contains("invalid peer certificate"),
        "{why:#}"
    );
    arena.stop().await
}

#[tokio::test]
async fn fault_62_a_client_without_the_right_certificate_is_refused() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let stranger = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |settings| {
        settings.tls_client_ca = Some(authority.ca.clone());
    })
    .await?;
    let member = authority.issue("member")?.identity()?;
    asks(arena.address(), authority.trust()?.identity(member)).await?;
    let imposter = stranger.issue("member")?.identity()?;
    let expired = authority.issue_until("late", 2001)?.identity()?;
    for refused in [
        authority.trust()?,
        authority.trust()?.identity(imposter),
        authority.trust()?.identity(expired),
    ] {
        assert!(asks(arena.address(), refused).await.is_err());
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_62_a_renewed_certificate_is_served_and_a_wrong_one_is_not() -> anyhow::Result<()> {
    let old = Authority::new()?;
    let new = Authority::new()?;
    let served = old.issue("arena")?;
    let arena = secure(&served, |settings| {
        settings.tls_reload_interval = Duration::from_millis(10);
    })
    .await?;
    let before = tls_channel(arena.address(), old.trust()?).await?;

    // Wrong: the arena stays with what it has.
    std::fs::write(&served.cert, "no certificate")?;
    for _ in 0..10 {
        asks(arena.address(), old.trust()?).await?;
    }
    let renewed = new.issue("arena")?;
    std::fs::copy(&renewed.key, &served.key)?;
    std::fs::copy(&renewed.cert, &served.cert)?;
    let renewal = async {
        while asks(arena.address(), new.trust()?).await.is_err() {
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(PATIENCE, renewal)
        .await
        .context("the new certificate is not served")??;
    assert!(asks(arena.address(), old.trust()?).await.is_err());
    // A connection goes on as it began.
    CatalogServiceClient::new(before)
        .list_variants(v1::ListVariantsRequest {})
        .await?;
    arena.stop().await
}

fn client(authority: &Authority, alpn: &[&[u8]], tls12: bool) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&authority.ca)?)?;
    let builder = ClientConfig::builder_with_provider(ring::default_provider().into());
    let mut config = if tls12 {
        builder.with_protocol_versions(&[&TLS12])?
    } else {
        builder.with_safe_default_protocol_versions()?
    }
    .with_root_certificates(roots)
    .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(TlsConnector::from(std::sync::Arc::new(config)))
}

#[tokio::test]
async fn fault_62_tls_is_1_2_or_newer_and_carries_http2_alone() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |_| {}).await?;
    let connect = async |connector: TlsConnector| {
        let stream = TcpStream::connect(arena.address()).await?;
        connector
            .connect(ServerName::try_from("localhost")?, stream)
            .await
            .map_err(anyhow::Error::from)
    };
    connect(client(&authority, &[b"h2"], true)?).await?;
    assert!(
        connect(client(&authority, &[b"http/1.1"], false)?)
            .await
            .is_err()
    );
    // A hello of TLS 1.0, as old clients write it: refused with an alert, protocol_version.
    let mut hello = vec![0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 1];
    hello.extend([7; 32]);
    hello.extend([0, 0, 2, 0, 0x2f, 1, 0]);
    let mut old = Peer::connect(arena.address()).await?;
    old.write(&hello).await?;
    let answer = old.closed().await?;
    assert_eq!(answer.first(), Some(&0x15), "an alert: {answer:?}");
    arena.stop().await
}

#[tokio::test]
async fn fault_06_slow_tls_is_closed_at_each_of_its_deadlines() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |settings| {
        settings.handshake_timeout = Duration::from_millis(500);
        settings.preface_timeout = Duration::from_millis(100);
        settings.first_call_timeout = Duration::from_millis(100);
    })
    .await?;
    // No TLS, and a little of it.
    for beginning in [&[][..], &[0x16, 3, 1]] {
        let mut peer = Peer::connect(arena.address()).await?;
        peer.write(beginning).await?;
        peer.closed().await?;
    }
    // TLS, and no more or not enough.
    for beginning in [&[][..], &PREFACE[..5], PREFACE] {
        let stream = TcpStream::connect(arena.address()).await?;
        let connector = client(&authority, &[b"h2"], false)?;
        let mut tls = connector
            .connect(ServerName::try_from("localhost")?, stream)
            .await?;
        tls.write_all(beginning).await?;
        let mut rest = Vec::new();
        // With or without a farewell.
        let _ = tokio::time::timeout(PATIENCE, tls.read_to_end(&mut rest))
            .await
            .context("it is not closed")?;
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_14_what_is_in_the_clear_is_closed_by_an_arena_with_tls() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |_| {}).await?;
    for bytes in [PREFACE, b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\0\0\0\0\0"] {
        let mut peer = Peer::connect(arena.address()).await?;
        peer.write(bytes).await?;
        let answer = peer.closed().await?;
        assert!(answer.is_empty() || answer[0] == 0x15, "{answer:?}");
    }
    asks(arena.address(), authority.trust()?).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_63_an_arena_that_is_open_to_others_says_what_it_lacks_and_does_not_start()
-> anyhow::Result<()> {
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    let why = refusal(|settings| settings.listen = everywhere).await?;
    for part in [
        "0.0.0.0",
        "tls_cert",
        "require_tokens",
        "allow_public_without_tls",
        "allow_public_without_tokens",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    assert_eq!(why.lines().count(), 1, "{why}");
    let allowed = Settings {
        listen: everywhere,
        allow_public_without_tls: true,
        allow_public_without_tokens: true,
        store: StorePlace::Memory,
        ..Settings::default()
    };
    Arena::bind(allowed).await?;
    Ok(())
}

#[tokio::test]
async fn an_agent_dials_in_with_tls_and_a_certificate_of_its_own() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let arena = secure(&authority.issue("arena")?, |settings| {
        settings.tls_client_ca = Some(authority.ca.clone());
    })
    .await?;
    let member = authority.issue("member")?;
    let access: Access = AccessArgs {
        ca: Some(authority.ca.clone()),
        cert: Some(member.cert),
        key: Some(member.key),
        token_file: None,
    }
    .read()?;
    let url = format!("https://localhost:{}", arena.address().port());
    let mut config = Config::new(url, profile::every_variant("random", 4).with_legal_moves());
    config.access = access;
    let mut agent = DialIn::spawn(config, std::sync::Arc::new(Random::new(Seed(1))));
    let welcome = tokio::time::timeout(PATIENCE, agent.welcomed()).await?;
    assert!(welcome.is_some());
    agent.leave().await?;
    arena.stop().await
}
