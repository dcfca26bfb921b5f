//! A proxy that forwards TCP connections, with faults.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    rng,
    weather::{Weather, carry},
};
use crate::PATIENCE;

/// A direction through a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the end that connected to the end that listens.
    There,
    /// From the end that listens to the end that connected.
    Back,
}

/// How connections are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Both ends are told of an orderly end (FIN).
    Finish,
    /// Both ends are told that the connection is void (RST).
    Reset,
}

/// A TCP proxy on a free port of loopback. Its faults may be changed at any time, and hold for every connection, open ones included. All
/// connections are cut when it is dropped.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: DropGuard,
}

struct Shared {
    target: SocketAddr,
    seed: u64,
    /// Size of the receive buffers, if it shall be small.
    window: Option<u32>,
    there: watch::Sender<Weather>,
    back: watch::Sender<Weather>,
    /// Counts the cuts, and says how the last one was made.
    cuts: watch::Sender<(u64, Cut)>,
    /// How many connections have been accepted, and how many are open.
    connections: watch::Sender<Connections>,
    stop: CancellationToken,
}

#[derive(Clone, Copy, Debug, Default)]
struct Connections {
    accepted: u64,
    open: usize,
}

impl FaultProxy {
    /// A proxy in front of `target`; the seed decides what is drawn.
    ///
    /// # Errors
    /// If there is no port.
    pub fn start(target: SocketAddr, seed: u64) -> anyhow::Result<Self> {
        Self::listen(target, seed, None)
    }

    /// The same, with receive buffers of so many bytes, so that whoever sends to an end that does not read is held up soon.
    ///
    /// # Errors
    /// If there is no port.
    pub fn narrow(target: SocketAddr, seed: u64, window: u32) -> anyhow::Result<Self> {
        Self::listen(target, seed, Some(window))
    }

    fn listen(target: SocketAddr, seed: u64, window: Option<u32>) -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if let Some(window) = window {
            socket.set_recv_buffer_size(window)?;
        }
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let listener = socket.listen(1024)?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            target,
            seed,
            window,
            there: watch::Sender::default(),
            back: watch::Sender::default(),
            cuts: watch::Sender::new((0, Cut::Finish)),
            connections: watch::Sender::default(),
            stop: stop.clone(),
        });
        tokio::spawn(accept(listener, shared.clone()));
        Ok(Self {
            address,
            shared,
            _stop: stop.drop_guard(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as clients want to have it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on this is the weather both ways.
    pub fn set(&self, weather: Weather) {
        self.set_way(Way::There, weather);
        self.set_way(Way::Back, weather);
    }

    /// From now on this is the weather one way.
    pub fn set_way(&self, way: Way, weather: Weather) {
        match way {
            Way::There => self.shared.there.send_replace(weather),
            Way::Back => self.shared.back.send_replace(weather),
        };
    }

    /// Cuts every open connection.
    pub fn cut(&self, how: Cut) {
        self.shared
            .cuts
            .send_modify(|(count, last)| (*count, *last) = (*count + 1, how));
    }

    /// How many connections there have been.
    pub fn accepted(&self) -> u64 {
        self.shared.connections.borrow().accepted
    }

    /// How many connections are open.
    pub fn open(&self) -> usize {
        self.shared.connections.borrow().open
    }

    /// Waits until there have been so many connections.
    ///
    /// # Errors
    /// If that does not come within [`PATIENCE`].
    pub async fn until_accepted(&self, count: u64) -> anyhow::Result<()> {
        self.until(|connections| connections.accepted >= count)
            .await
            .with_context(|| format!("{} of {count} connections came", self.accepted()))
    }

    /// Waits until no connection is open.
    ///
    /// # Errors
    /// If that does not come within [`PATIENCE`].
    pub async fn until_closed(&self) -> anyhow::Result<()> {
        self.until(|connections| connections.open == 0)
            .await
            .with_context(|| format!("{} connections are still open", self.open()))
    }

    async fn until(&self, holds: impl Fn(&Connections) -> bool) -> anyhow::Result<()> {
        let mut connections = self.shared.connections.subscribe();
        let waited = tokio::time::timeout(PATIENCE, connections.wait_for(|now| holds(now)));
        waited.await??;
        Ok(())
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let accepted = tokio::select! {
            () = shared.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((near, _)) = accepted else { continue };
        let mut number = 0;
        shared.connections.send_modify(|connections| {
            number = connections.accepted;
            connections.accepted += 1;
            connections.open += 1;
        });
        let shared = shared.clone();
        tokio::spawn(async move {
            // Whatever ends it, both ends hear of it.
            let _ = connect(near, number, &shared).await;
            shared
                .connections
                .send_modify(|connections| connections.open -= 1);
        });
    }
}

async fn connect(mut near: TcpStream, number: u64, shared: &Shared) -> io::Result<()> {
    let mut cuts = shared.cuts.subscribe();
    let socket = TcpSocket::new_v4()?;
    if let Some(window) = shared.window {
        socket.set_recv_buffer_size(window)?;
    }
    let mut far = tokio::select! {
        () = shared.stop.cancelled() => return Ok(()),
        far = tokio::time::timeout(Duration::from_secs(5), socket.connect(shared.target)) => far??,
    };
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let carried = {
        let (near_read, near_write) = near.split();
        let (far_read, far_write) = far.split();
        let there = carry(
            near_read,
            far_write,
            shared.there.subscribe(),
            rng(shared.seed, number, 0),
        );
        let back = carry(
            far_read,
            near_write,
            shared.back.subscribe(),
            rng(shared.seed, number, 1),
        );
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return Ok(()),
            _ = cuts.changed() => Err(cuts.borrow().1),
            carried = async { tokio::try_join!(there, back) } => carried.map_err(|_| Cut::Reset),
        }
    };
    if carried == Err(Cut::Reset) {
        near.set_zero_linger()?;
        far.set_zero_linger()?;
    }
    Ok(())
}
