//! `broadside agents`.

use broadside_proto::v1::{AgentInfo, ListAgentsRequest, ListAgentsResponse};

use super::show;
use crate::{
    client::Arena,
    error::{Error, Exit},
    output::Output,
    text::escape,
};

const PAGE: u32 = 200;

pub(super) async fn run(arena: &Arena, out: &mut Output) -> Result<Exit, Error> {
    let agents = list(arena).await?;
    if out.json() {
        out.message(&ListAgentsResponse {
            agents,
            next_page_token: String::new(),
        })?;
    } else if agents.is_empty() {
        out.line("No agent is connected.")?;
    } else {
        let header = ["AGENT", "REACHED", "MATCHES", "VARIANTS"];
        out.text(&show::table(&header, agents.iter().map(row)))?;
    }
    Ok(Exit::Done)
}

/// All pages.
async fn list(arena: &Arena) -> Result<Vec<AgentInfo>, Error> {
    let mut agents = Vec::new();
    let mut page_token = String::new();
    loop {
        let mut catalog = arena.catalog();
        let call = catalog.list_agents(ListAgentsRequest {
            page_size: PAGE,
            page_token: page_token.clone(),
        });
        let page = arena.call("list the agents", call).await?;
        agents.extend(page.agents);
        // A token that repeats itself would never end.
        if page.next_page_token.is_empty() || page.next_page_token == page_token {
            return Ok(agents);
        }
        page_token = page.next_page_token;
    }
}

fn row(agent: &AgentInfo) -> Vec<String> {
    let reached = match (agent.dialled, agent.connected) {
        (true, _) => "dialled",
        (false, true) => "connected",
        (false, false) => "lost",
    };
    vec![
        escape(&agent.name),
        reached.to_owned(),
        format!("{} of {}", agent.running_matches, agent.max_matches),
        show::slugs(agent.variants()),
    ]
}
