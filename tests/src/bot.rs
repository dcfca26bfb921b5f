//! Bots that do as a test tells them, message by message.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context, bail};
use broadside_proto::v1::{
    self, agent_service_server::AgentServiceServer, connect_request, connect_response::Message,
    gateway_service_client::GatewayServiceClient,
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Request, Response, Status, Streaming, transport::Channel};

/// How long anything may take before a test gives up. Long: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A bot on a stream.
pub struct Bot {
    outgoing: mpsc::Sender<v1::ConnectRequest>,
    incoming: Streaming<v1::ConnectResponse>,
}

impl Bot {
    /// Opens a stream and says nothing yet.
    ///
    /// # Errors
    /// What the arena says.
    pub async fn open(channel: Channel) -> Result<Self, Status> {
        let (outgoing, queue) = mpsc::channel(1024);
        let incoming = GatewayServiceClient::new(channel)
            .max_encoding_message_size(usize::MAX)
            .connect(ReceiverStream::new(queue))
            .await?
            .into_inner();
        Ok(Self { outgoing, incoming })
    }

    /// A profile that plays everything and wants legal moves.
    pub fn profile(name: &str) -> v1::AgentProfile {
        broadside_agents::profile::every_variant(name, 256)
            .with_legal_moves()
            .into()
    }

    /// Opens a stream and says hello.
    ///
    /// # Errors
    /// If the arena does not welcome it.
    pub async fn connect(channel: Channel, profile: v1::AgentProfile) -> anyhow::Result<Self> {
        let (bot, _) = Self::resume(channel, profile, "").await?;
        Ok(bot)
    }

    /// Opens a stream and says hello with a resume token.
    ///
    /// # Errors
    /// If the arena does not welcome it.
    pub async fn resume(
        channel: Channel,
        profile: v1::AgentProfile,
        resume_token: &str,
    ) -> anyhow::Result<(Self, v1::Welcome)> {
        let hello = v1::Hello {
            protocol_version: broadside_proto::PROTOCOL_VERSION,
            profile: Some(profile),
            resume_token: resume_token.to_owned(),
            ..Default::default()
        };
        Self::greet(channel, hello).await
    }

    /// Opens a stream and says a hello of one's own.
    ///
    /// # Errors
    /// If the arena does not welcome it.
    pub async fn greet(channel: Channel, hello: v1::Hello) -> anyhow::Result<(Self, v1::Welcome)> {
        let mut bot = Self::open(channel).await?;
        bot.send(connect_request::Message::Hello(hello)).await?;
        match bot.next().await? {
            Message::Welcome(welcome) => Ok((bot, welcome)),
            other => bail!("no welcome but {other:?}"),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the stream is gone.
    pub async fn send(&self, message: connect_request::Message) -> anyhow::Result<()> {
        self.send_raw(v1::ConnectRequest {
            message: Some(message),
        })
        .await
    }

    /// Closes its own side of the stream, and goes on to listen.
    pub fn close(&mut self) {
        let (closed, _) = mpsc::channel(1);
        self.outgoing = closed;
    }

    /// Sends whatever it is.
    ///
    /// # Errors
    /// If the stream is gone.
    pub async fn send_raw(&self, request: v1::ConnectRequest) -> anyhow::Result<()> {
        self.outgoing
            .send(request)
            .await
            .context("the stream is gone")
    }

    /// The next message.
    ///
    /// # Errors
    /// If the stream ends, or nothing comes within [`PATIENCE`].
    pub async fn next(&mut self) -> anyhow::Result<Message> {
        let message = tokio::time::timeout(PATIENCE, self.incoming.message())
            .await
            .context("nothing came from the arena")??
            .context("the stream ended")?;
        message.message.context("an empty message")
    }

    /// With what status the stream ends, messages before that put aside.
    ///
    /// # Errors
    /// If it ends well, or not within [`PATIENCE`].
    pub async fn ended(&mut self) -> anyhow::Result<Status> {
        let ended = async {
            loop {
                match self.incoming.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => bail!("the stream ended well"),
                    Err(status) => return Ok(status),
                }
            }
        };
        tokio::time::timeout(PATIENCE, ended)
            .await
            .context("the stream did not end")?
    }

    /// The next turn, messages before it put aside.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn turn(&mut self) -> anyhow::Result<v1::Turn> {
        loop {
            if let Message::Turn(turn) = self.next().await? {
                return Ok(turn);
            }
        }
    }

    /// The next refusal to use what it sent, messages before it put aside.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn rejected(&mut self) -> anyhow::Result<v1::Rejected> {
        loop {
            if let Message::Rejected(rejected) = self.next().await? {
                return Ok(rejected);
            }
        }
    }

    /// The next end of a match, messages before it put aside.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn match_end(&mut self) -> anyhow::Result<v1::MatchEnd> {
        loop {
            if let Message::MatchEnd(end) = self.next().await? {
                return Ok(end);
            }
        }
    }

    /// Answers a turn.
    ///
    /// # Errors
    /// If the stream is gone.
    pub async fn answer(
        &self,
        turn: &v1::Turn,
        r#move: impl Into<Option<v1::Move>>,
    ) -> anyhow::Result<()> {
        self.answer_id(turn.match_id, turn.turn_id, r#move).await
    }

    /// Answers whatever turn.
    ///
    /// # Errors
    /// If the stream is gone.
    pub async fn answer_id(
        &self,
        match_id: u64,
        turn_id: u32,
        r#move: impl Into<Option<v1::Move>>,
    ) -> anyhow::Result<()> {
        self.send(connect_request::Message::Answer(v1::TurnAnswer {
            match_id,
            turn_id,
            r#move: r#move.into(),
        }))
        .await
    }

    /// The first legal answer to a turn: a shot goes to the first cell, a fleet is the one dealt.
    ///
    /// # Errors
    /// If the turn has no legal moves.
    pub fn first_legal(turn: &v1::Turn) -> anyhow::Result<v1::Move> {
        let legal = turn.legal_moves.as_ref().context("no legal moves")?;
        if let Some(choice) = &legal.salvo {
            let cells = choice.cells.iter().take(choice.size as usize);
            return salvo(turn, cells.copied().collect());
        }
        legal.moves.first().cloned().context("no legal move")
    }

    /// Answers turns with the first legal move until its match is over.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn play_first_legal(&mut self) -> anyhow::Result<v1::MatchEnd> {
        loop {
            match self.next().await? {
                Message::Turn(turn) => {
                    let action = Self::first_legal(&turn)?;
                    self.answer(&turn, action).await?;
                }
                Message::MatchEnd(end) => return Ok(end),
                _ => {}
            }
        }
    }
}

fn salvo(turn: &v1::Turn, cells: Vec<v1::Cell>) -> anyhow::Result<v1::Move> {
    use v1::{r#move::Variant as Of, view::Variant as Seen};
    let salvo = v1::Salvo { cells };
    let of = match turn.view.as_ref().and_then(|view| view.variant.as_ref()) {
        Some(Seen::Salvo(_)) => Of::Salvo(v1::SalvoMove {
            r#move: Some(v1::salvo_move::Move::Salvo(salvo)),
        }),
        Some(Seen::AdvancedSalvo(_)) => Of::AdvancedSalvo(v1::AdvancedSalvoMove {
            r#move: Some(v1::advanced_salvo_move::Move::Salvo(salvo)),
        }),
        other => bail!("a salvo in {other:?}"),
    };
    Ok(v1::Move { variant: Some(of) })
}

/// A bot that the arena dials: `ChooseMove` and nothing else, answered by a test's own function.
pub struct DialledBot {
    /// Where it serves.
    pub address: SocketAddr,
    _stop: DropGuard,
}

struct Chooser<F>(F);

#[tonic::async_trait]
impl<F> v1::agent_service_server::AgentService for Chooser<F>
where
    F: Fn(v1::Turn) -> Result<v1::ChooseMoveResponse, Status> + Send + Sync + 'static,
{
    async fn get_profile(
        &self,
        _: Request<v1::GetProfileRequest>,
    ) -> Result<Response<v1::GetProfileResponse>, Status> {
        Err(Status::unimplemented("ChooseMove is all"))
    }

    async fn start_match(
        &self,
        _: Request<v1::StartMatchRequest>,
    ) -> Result<Response<v1::StartMatchResponse>, Status> {
        Err(Status::unimplemented("ChooseMove is all"))
    }

    async fn choose_move(
        &self,
        request: Request<v1::ChooseMoveRequest>,
    ) -> Result<Response<v1::ChooseMoveResponse>, Status> {
        let turn = request.into_inner().turn.unwrap_or_default();
        (self.0)(turn).map(Response::new)
    }

    async fn end_match(
        &self,
        _: Request<v1::EndMatchRequest>,
    ) -> Result<Response<v1::EndMatchResponse>, Status> {
        Err(Status::unimplemented("ChooseMove is all"))
    }
}

impl DialledBot {
    /// Serves on a free port of loopback.
    ///
    /// # Errors
    /// If there is none.
    pub async fn serve<F>(choose: F) -> anyhow::Result<Self>
    where
        F: Fn(v1::Turn) -> Result<v1::ChooseMoveResponse, Status> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        Self::serve_on(listener, choose)
    }

    /// Serves on a listener.
    ///
    /// # Errors
    /// If it has no address.
    pub fn serve_on<F>(listener: TcpListener, choose: F) -> anyhow::Result<Self>
    where
        F: Fn(v1::Turn) -> Result<v1::ChooseMoveResponse, Status> + Send + Sync + 'static,
    {
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let server = tonic::transport::Server::builder()
            // As few calls at once on a connection as a careful server may allow.
            .max_concurrent_streams(64)
            .add_service(AgentServiceServer::new(Chooser(choose)))
            .serve_with_incoming_shutdown(
                TcpListenerStream::new(listener),
                stop.clone().cancelled_owned(),
            );
        tokio::spawn(server);
        Ok(Self {
            address,
            _stop: stop.drop_guard(),
        })
    }
}
