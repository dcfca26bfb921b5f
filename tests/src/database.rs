//! A PostgreSQL database of a test's own: a schema on the server that `BROADSIDE_TEST_POSTGRES` names.

use std::{
    env,
    net::SocketAddr,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, bail, ensure};
use tokio_postgres::{Client, Config, NoTls, config::Host};

/// The variable that holds the URL of a server on which tests may make schemas.
const SERVER: &str = "BROADSIDE_TEST_POSTGRES";

/// How long a write is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A schema, and all that is in it; gone when dropped.
pub struct TestDatabase {
    server: String,
    schema: String,
}

impl TestDatabase {
    /// A new one; `None` if there is no server, which is a failure in CI.
    ///
    /// # Errors
    /// If the server cannot be used.
    pub async fn create() -> anyhow::Result<Option<Self>> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = env::var(SERVER) else {
            crate::skipped(
                "PostgreSQL",
                &format!("a server, named in {SERVER}: sh .ci/postgres.sh cargo test --workspace"),
            )?;
            return Ok(None);
        };
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        let schema = format!(
            "test_{}_{}_{}",
            std::process::id(),
            since.as_nanos(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let database = Self { server, schema };
        let admin = database.admin().await?;
        admin
            .batch_execute(&format!("CREATE SCHEMA {}", database.schema))
            .await?;
        Ok(Some(database))
    }

    /// What an arena is told to use it.
    pub fn url(&self) -> String {
        let join = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{join}{}", self.server, self.parameters())
    }

    /// The same by another way to the server.
    ///
    /// # Errors
    /// If the server's URL has no user.
    pub fn url_through(&self, address: SocketAddr) -> anyhow::Result<String> {
        let config: Config = self.server.parse()?;
        let user = config.get_user().context("the server's URL has no user")?;
        let password = config.get_password().map_or(String::new(), |password| {
            format!(":{}", String::from_utf8_lossy(password))
        });
        let name = config.get_dbname().unwrap_or(user);
        let parameters = self.parameters();
        Ok(format!(
            "postgres://{user}{password}@{address}/{name}?{parameters}"
        ))
    }

    /// Where the server is.
    ///
    /// # Errors
    /// If its URL does not name a host.
    pub async fn address(&self) -> anyhow::Result<SocketAddr> {
        let config: Config = self.server.parse()?;
        let Some(Host::Tcp(host)) = config.get_hosts().first() else {
            bail!("{SERVER} must name a host");
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let mut found = tokio::net::lookup_host((host.as_str(), port)).await?;
        found.next().context("the host has no address")
    }

    fn parameters(&self) -> String {
        let schema = &self.schema;
        format!("options=-c%20search_path%3D{schema}&application_name={schema}")
    }

    /// A connection of the test's own, in the schema.
    ///
    /// # Errors
    /// If there is none to be had.
    pub async fn admin(&self) -> anyhow::Result<Client> {
        let (client, connection) = tokio_postgres::connect(&self.server, NoTls).await?;
        tokio::spawn(connection);
        client
            .batch_execute(&format!("SET search_path = {}", self.schema))
            .await?;
        Ok(client)
    }

    /// Ends every connection that is open by [`url`](Self::url), in the middle of whatever it does. Returns how many there were.
    ///
    /// # Errors
    /// If the server does not.
    pub async fn end_connections(&self) -> anyhow::Result<u64> {
        self.end_connections_by(&self.admin().await?).await
    }

    /// Waits until one of them writes to that table, lets it get no further, and ends them all.
    ///
    /// # Errors
    /// If the server does not.
    pub async fn end_connections_amid(&self, table: &str) -> anyhow::Result<()> {
        let mut admin = self.admin().await?;
        let held = admin.transaction().await?;
        held.batch_execute(&format!("LOCK TABLE {table} IN SHARE MODE"))
            .await?;
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
        // What the server says of others' work stays the same in a transaction.
        let watch = self.admin().await?;
        let begun = Instant::now();
        while watch
            .query_one(waiting, &[&self.schema])
            .await?
            .get::<_, i64>(0)
            == 0
        {
            ensure!(
                begun.elapsed() < PATIENCE,
                "nothing was written to {table} for {PATIENCE:?}"
            );
        }
        self.end_connections_by(&watch).await?;
        Ok(held.rollback().await?)
    }

    async fn end_connections_by(&self, admin: &Client) -> anyhow::Result<u64> {
        let end =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
        Ok(admin.execute(end, &[&self.schema]).await?)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, schema) = (self.server.clone(), self.schema.clone());
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&server, NoTls).await?;
                tokio::spawn(connection);
                client
                    .batch_execute(&format!("DROP SCHEMA {schema} CASCADE"))
                    .await?;
                anyhow::Ok(())
            })
        });
        if !dropped.join().is_ok_and(|dropped| dropped.is_ok()) {
            eprintln!("the schema {} is left on the server", self.schema);
        }
    }
}
