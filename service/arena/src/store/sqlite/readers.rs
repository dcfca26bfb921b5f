//! Connections that read.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::{
    Fault,
    fault::{self, Why},
    files::Files,
    opening,
};
use crate::store::StoreError;

/// Reads at once: each is short, and bound by the processor.
const AT_ONCE: usize = 4;

/// A few connections that read, each made when it is first needed.
#[derive(Debug)]
pub(super) struct Readers {
    shared: Arc<Shared>,
    places: Arc<Semaphore>,
}

#[derive(Debug)]
struct Shared {
    files: Arc<Files>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(files: Arc<Files>) -> Self {
        Self {
            shared: Arc::new(Shared {
                files,
                idle: Mutex::default(),
            }),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Reads, about a match or none.
    pub(super) async fn read<T, F>(&self, match_id: Option<u64>, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| StoreError::Unavailable("it is closed".to_owned()))?;
        let shared = self.shared.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let _place = place;
            shared.read(match_id, read)
        });
        reading
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?
    }

    /// Lets no further read in, and closes what is open.
    pub(super) fn close(&self) {
        self.places.close();
        self.shared.idle.lock().clear();
    }
}

impl Shared {
    fn read<T>(
        &self,
        match_id: Option<u64>,
        read: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let told = |error| fault::told(&self.files, match_id, &error);
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => opening::connect_to_read(&self.files).map_err(told)?,
        };
        match read(&connection) {
            Ok(read) => {
                self.idle.lock().push(connection);
                Ok(read)
            }
            Err(Fault::Request(error)) => {
                self.idle.lock().push(connection);
                Err(error)
            }
            Err(Fault::Database(error)) => {
                if fault::why(&error) != Why::Outage {
                    self.idle.lock().push(connection);
                }
                Err(told(error))
            }
        }
    }
}
