//! `CatalogService`: what variants and agents there are.

use std::sync::Arc;

use broadside_proto::v1::{self, catalog_service_server::CatalogService};
use tonic::{Request, Response, Status};

use super::page;
use crate::{catalog, limits::limits, play::TimeControl, roster::Roster, settings::Settings};

/// Serves `CatalogService`.
#[derive(Clone)]
pub struct Catalog {
    /// Who is there.
    pub roster: Arc<Roster>,
    /// Of matches that ask for none.
    pub default_time_control: TimeControl,
    /// The arena's settings.
    pub settings: Arc<Settings>,
}

#[tonic::async_trait]
impl CatalogService for Catalog {
    async fn list_variants(
        &self,
        _request: Request<v1::ListVariantsRequest>,
    ) -> Result<Response<v1::ListVariantsResponse>, Status> {
        Ok(Response::new(v1::ListVariantsResponse {
            variants: catalog::variants(),
            default_time_control: Some(self.default_time_control.to_message()),
        }))
    }

    async fn get_limits(
        &self,
        _request: Request<v1::GetLimitsRequest>,
    ) -> Result<Response<v1::GetLimitsResponse>, Status> {
        Ok(Response::new(v1::GetLimitsResponse {
            limits: limits(&self.settings),
        }))
    }

    async fn list_agents(
        &self,
        request: Request<v1::ListAgentsRequest>,
    ) -> Result<Response<v1::ListAgentsResponse>, Status> {
        let v1::ListAgentsRequest {
            page_size,
            page_token,
        } = request.into_inner();
        // A page goes on after the last name of the one before: any text is a place in the alphabet.
        let (agents, more) = self.roster.agents(&page_token, page::size(page_size)?);
        let next_page_token = match agents.last() {
            Some(last) if more => last.name.clone(),
            _ => String::new(),
        };
        Ok(Response::new(v1::ListAgentsResponse {
            agents,
            next_page_token,
        }))
    }
}
