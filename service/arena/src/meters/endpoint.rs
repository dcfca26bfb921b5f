//! Where Prometheus finds the meters: `GET /metrics` on a port of its own.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use axum::{Router, http::header::CONTENT_TYPE, routing::get};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Meters, seconds};
use crate::{panics, roster::Roster, settings::Settings, stall::Stalls, store::Store};

/// The text format of Prometheus, in the version that is written.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// How often measured times are put into their buckets, whether or not anybody asks: they gather in memory until then.
const SORTING: Duration = Duration::from_secs(1);

/// A port for Prometheus.
pub(crate) struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    meters: Arc<Meters>,
    page: PrometheusHandle,
}

/// What is looked at when somebody asks.
#[derive(Clone)]
pub(crate) struct Sampled {
    /// Who is there, and which matches are not over.
    pub(crate) roster: Arc<Roster>,
    /// What has a queue.
    pub(crate) store: Arc<dyn Store>,
    /// When the arena did not get to run.
    pub(crate) stalls: Arc<Stalls>,
}

impl Endpoint {
    /// Listens where the settings say, if they do.
    ///
    /// # Errors
    /// If the address cannot be listened on, or others could reach it and were not told to.
    pub(crate) async fn bind(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some(address) = settings.metrics_listen else {
            return Ok(None);
        };
        refuse_exposure(settings, address)?;
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address} (setting metrics_listen)"))?;
        let (meters, page) = Meters::shown().context("the meters cannot be made")?;
        Ok(Some(Self {
            address: listener.local_addr()?,
            listener,
            meters: Arc::new(meters),
            page,
        }))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it shows.
    pub(crate) fn meters(&self) -> &Arc<Meters> {
        &self.meters
    }

    /// Serves until it is told to stop.
    pub(crate) async fn serve(self, sampled: Sampled, stop: CancellationToken) {
        let Self {
            listener,
            address,
            meters,
            page,
        } = self;
        tracing::info!(%address, "metrics are served");
        let sorting = async {
            let mut moments = tokio::time::interval(SORTING);
            loop {
                moments.tick().await;
                page.run_upkeep();
            }
        };
        let shown = page.clone();
        let show = move || {
            let (meters, sampled, page) = (meters.clone(), sampled.clone(), shown.clone());
            async move {
                meters.sample(&sampled);
                ([(CONTENT_TYPE, FORMAT)], page.render())
            }
        };
        let router = Router::new().route("/metrics", get(show));
        let serving = axum::serve(listener, router)
            .with_graceful_shutdown(stop.cancelled_owned())
            .into_future();
        tokio::select! {
            served = serving => if let Err(error) = served {
                tracing::error!(%error, "metrics are served no more");
            },
            () = sorting => {}
        }
    }
}

impl Meters {
    /// Sets what is looked up, and the peaks.
    fn sample(&self, from: &Sampled) {
        let (waiting, running, agents) = from.roster.census();
        self.sampled.waiting.set(count(waiting));
        self.sampled.running.set(count(running));
        self.sampled.agents.set(count(agents));
        self.sampled.store_queue.set(count(from.store.queued()));
        self.sampled.panics.absolute(panics::count());
        let (stalls, stalled_us) = from.stalls.so_far();
        self.sampled.stalls.absolute(stalls);
        self.sampled.stalled.set(seconds(stalled_us));
        self.session_queue.show(whole);
        self.match_inbox.show(whole);
        self.stamp_to_wire.show(seconds);
    }
}

fn count(number: usize) -> f64 {
    whole(number as u64)
}

#[expect(clippy::cast_precision_loss, reason = "no count here is that large")]
fn whole(number: u64) -> f64 {
    number as f64
}

/// The page is in the clear and asks for no token, and says how busy the arena is.
fn refuse_exposure(settings: &Settings, address: SocketAddr) -> anyhow::Result<()> {
    anyhow::ensure!(
        address.ip().to_canonical().is_loopback() || settings.allow_public_without_tls,
        "the settings are not right: metrics_listen is {address}, which is not loopback, and metrics are served without TLS: listen \
         on loopback, or set allow_public_without_tls"
    );
    Ok(())
}
