//! What a host on the path may do that others may not: take part in their connections.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_net::{Intercepted, Interceptor, Listener, Middlebox};
use bentpipe_run::{Algorithm, Dscp};

use crate::net::{Role, SimNet};
use crate::stream::{SimListener, SimStream, v4};

/// Where the connections of others arrive.
pub struct SimInterceptor(SimListener);

impl Middlebox for SimNet {
    type Interceptor = SimInterceptor;

    fn intercept(&self, cc: Algorithm) -> io::Result<SimInterceptor> {
        let backlog = self.world.host(self.end).intercept(self.config(cc, Role::Server));
        let world = Rc::clone(&self.world);
        Ok(SimInterceptor(SimListener { world, end: self.end, backlog, content: self.content }))
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
        let (stream, source) = self.0.accept().await?;
        let (destination, dscp) = {
            let socket = stream.socket.borrow();
            (SocketAddr::V4(socket.connection.local()), socket.dscp)
        };
        Ok(Intercepted { stream, source, destination, dscp })
    }
}
