//! What a host on the path may do that others may not: take part in their connections.

use std::io;
use std::net::SocketAddr;

use bentpipe_net::{Intercepted, Interceptor, Middlebox};
use bentpipe_run::{Algorithm, Dscp};

use crate::host::backlog::Accepted;
use crate::net::{ANY_CLIENT, Role, SimNet};
use crate::stream::{SimListener, SimStream, v4};

/// Where the connections of others arrive.
pub struct SimInterceptor(SimListener);

impl Middlebox for SimNet {
    type Interceptor = SimInterceptor;

    fn intercept(&self, cc: Algorithm) -> io::Result<SimInterceptor> {
        let config = self.config(cc, Role::Server, ANY_CLIENT);
        Ok(SimInterceptor(self.listener(self.host.call(|host, _| host.tcp.intercept(config)))))
    }

    async fn connect_from(
        &self,
        from: SocketAddr,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> io::Result<SimStream> {
        self.open(Some(v4(from)?), to, cc, dscp)?.connected().await
    }
}

impl Interceptor for SimInterceptor {
    type Stream = SimStream;

    async fn accept(&mut self) -> io::Result<Intercepted<SimStream>> {
        let (stream, Accepted { local, remote, dscp, .. }) = self.0.next().await;
        let (source, destination) = (SocketAddr::V4(remote), SocketAddr::V4(local));
        Ok(Intercepted { stream, source, destination, dscp })
    }
}
