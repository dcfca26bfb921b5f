//! A store in a PostgreSQL database, which several arenas may use.
//!
//! One task appends ([`writer`]), on a connection of its own; everything else has connections from a pool. Whoever claims a match holds its
//! row, and so does whoever appends to it: what an earlier epoch has under way is kept before the claim or not at all.

mod append;
mod create;
mod fault;
mod list;
mod migrate;
mod read;
mod server;
mod tokens;
mod writer;

use std::{future::Future, sync::Arc};

use anyhow::Context;
use broadside_proto::v1;
use deadpool_postgres::{Client, Pool};

use self::{append::Appender, server::Server, writer::Writer};
use super::{
    Append, Appending, Claimed, Creation, Durability, KeptToken, ListPage, ListQuery, Log,
    NewMatch, Reading, Store, StoreError, TokenId,
};

/// Keeps matches in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresStore {
    pool: Pool,
    writer: Writer,
}

impl PostgresStore {
    /// Opens the database of this URL, which must be there, and brings its tables up to date.
    ///
    /// # Errors
    /// In one line: what is wrong with it, and what would be right.
    pub async fn open(url: &str, durability: Durability) -> anyhow::Result<Self> {
        let server = Server::parse(url, durability)?;
        let name = server.name().to_owned();
        let mut client = server
            .connect()
            .await
            .map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        server.check(&client, durability).await?;
        migrate::apply(&mut client)
            .await
            .with_context(|| name.clone())?;
        let pool = server.pool()?;
        let appender = Appender::new(client)
            .await
            .map_err(|error| anyhow::anyhow!("{name}: {}", fault::describe(&error)))?;
        tracing::info!(store = %name, ?durability, "the store is open");
        Ok(Self {
            pool,
            writer: Writer::start(server, appender),
        })
    }

    /// Does something on a connection of the pool.
    async fn with<T, F>(&self, work: impl FnOnce(Client) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Unread>>,
    {
        let client = self
            .pool
            .get()
            .await
            .map_err(|error| fault::no_connection(&error))?;
        match tokio::time::timeout(server::ANSWER, work(client)).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Unread::Database(error))) => Err(fault::store_error(&error)),
            Ok(Err(Unread::Store(error))) => Err(error),
            Err(_) => Err(fault::late()),
        }
    }
}

/// Why there is no answer from the database.
#[derive(Debug)]
enum Unread {
    Database(tokio_postgres::Error),
    Store(StoreError),
}

impl From<tokio_postgres::Error> for Unread {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Unread {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A number as it is kept: the signed one of the same bits.
fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// A number as it was before it was kept.
fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

/// A text that the database can hold: it has no NUL, and nothing that was kept has.
fn text(text: &str) -> Option<&str> {
    (!text.contains('\0')).then_some(text)
}

impl Store for PostgresStore {
    fn is_durable(&self) -> bool {
        true
    }

    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        Box::pin(async move { create::create(self, &new).await })
    }

    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>> {
        Box::pin(async move {
            match text(request_id) {
                None | Some("") => Ok(None),
                Some(request_id) => {
                    self.with(|client| async move { read::request(&client, request_id).await })
                        .await
                }
            }
        })
    }

    fn append(&self, append: Arc<Append>) -> Appending {
        self.writer.append(append)
    }

    fn queued(&self) -> usize {
        self.writer.queued()
    }

    fn claim(&self) -> Reading<'_, Vec<Claimed>> {
        Box::pin(self.with(|mut client| async move { read::claim(&mut client).await }))
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        Box::pin(self.with(move |client| async move { read::summary(&client, match_id).await }))
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log> {
        Box::pin(self.with(move |client| async move { read::log(&client, match_id, from).await }))
    }

    fn list(&self, query: ListQuery) -> Reading<'_, ListPage> {
        Box::pin(self.with(|client| async move { list::list(&client, &query).await }))
    }

    fn secret<'a>(&'a self, name: &'a str, fresh: [u8; 32]) -> Reading<'a, [u8; 32]> {
        Box::pin(self.with(move |client| async move { read::secret(&client, name, fresh).await }))
    }

    fn add_token(&self, token: KeptToken) -> Reading<'_, ()> {
        Box::pin(self.with(|client| async move { tokens::add(&client, &token).await }))
    }

    fn tokens(&self) -> Reading<'_, Vec<KeptToken>> {
        Box::pin(self.with(|client| async move { tokens::all(&client).await }))
    }

    fn revoke_token<'a>(&'a self, id: &'a TokenId, at_ms: u64) -> Reading<'a, bool> {
        Box::pin(self.with(move |client| async move { tokens::revoke(&client, id, at_ms).await }))
    }
}
