//! Messages with control messages beside their bytes: `recvmsg`, `sendmsg`.

use crate::call::{Call, Transfer};
use crate::expected::ExpectedOutput;
use crate::expression::Expression;
use crate::outcome::{ControlData, ControlMessage, Missing};
use crate::prepare::Arguments;

/// Fields of `struct sock_extended_err` (linux/errqueue.h) that scripts look at.
const ERROR_FIELDS: [&str; 6] = ["ee_errno", "ee_origin", "ee_type", "ee_code", "ee_info", "ee_data"];

/// Fields of times (`struct scm_timestamping`, `timeval`, `timespec`), of which only that they are there is compared: the
/// kernel's clock is its own.
const TIME_FIELDS: [&str; 5] = ["scm_sec", "scm_nsec", "tv_sec", "tv_usec", "tv_nsec"];

fn is_of(field: &Expression, names: &[&str]) -> bool {
    matches!(field, Expression::Field(name, _) if names.contains(&name.as_str()))
}

/// Whether the kernel takes it as a number of 32 bits: `SCM_TXTIME` has 64.
fn is_number_of_c(message: &ControlMessage) -> bool {
    let is_wide = (message.level, message.kind) == (libc::SOL_SOCKET.into(), libc::SCM_TXTIME.into());
    let fits = |number: i64| i32::try_from(number).is_ok() || u32::try_from(number).is_ok();
    !is_wide && matches!(message.data, ControlData::Number(number) if fits(number))
}

impl Arguments<'_> {
    pub fn receive(&self) -> Result<(Call, ExpectedOutput), Missing> {
        let flags = self.argument(1)?.field("msg_flags").filter(|flags| **flags != Expression::Any);
        let flags = flags.map(|flags| self.value(flags)).transpose()?;
        let control = self.control()?;
        let call = Call::Receive { transfer: self.message()?, with_control: control.is_some() };
        Ok((call, ExpectedOutput::Message(flags, control)))
    }

    pub fn send(&self) -> Result<Call, Missing> {
        let transfer = self.message()?;
        let control = self.control()?.unwrap_or_default();
        if let Some(other) = control.iter().find(|message| !is_number_of_c(message)) {
            return Err(Missing(format!("sendmsg with the control message {other}")));
        }
        Ok(match () {
            () if transfer.has(libc::MSG_FASTOPEN) => Call::SendTo(transfer),
            () if control.is_empty() => Call::Write(transfer),
            () => Call::Send(transfer, control),
        })
    }

    fn message(&self) -> Result<Transfer, Missing> {
        let buffers = self.argument(1)?.field("msg_iov");
        let buffers = buffers.ok_or_else(|| Missing("messages without buffers".to_owned()))?;
        self.transfer(self.vector(buffers)?, Some(2))
    }

    /// Control messages, where they are written; whatever there is where they are `...`.
    fn control(&self) -> Result<Option<Vec<ControlMessage>>, Missing> {
        match self.argument(1)?.field("msg_control") {
            None | Some(Expression::Any) => Ok(None),
            Some(Expression::List(items)) => {
                items.iter().map(|item| self.control_message(item)).collect::<Result<_, _>>().map(Some)
            }
            Some(other) => Err(Missing(format!("control messages such as {other}"))),
        }
    }

    fn control_message(&self, written: &Expression) -> Result<ControlMessage, Missing> {
        let of = |name: &str| {
            let field = written.field(name);
            field.ok_or_else(|| Missing(format!("control messages without {name}")))
        };
        let data = of("cmsg_data")?;
        let data = match data {
            Expression::Record(fields) if fields.iter().all(|field| is_of(field, &ERROR_FIELDS)) => {
                let mut numbers = [0; ERROR_FIELDS.len()];
                for (number, name) in numbers.iter_mut().zip(ERROR_FIELDS) {
                    *number = data.field(name).map_or(Ok(0), |field| self.value(field))?;
                }
                ControlData::Error(numbers)
            }
            Expression::Record(fields) if fields.iter().all(|field| is_of(field, &TIME_FIELDS)) => {
                ControlData::Other
            }
            Expression::Any => ControlData::Other,
            Expression::Record(_) => return Err(Missing(format!("control messages such as {data}"))),
            number => ControlData::Number(self.value(number)?),
        };
        Ok(ControlMessage {
            level: self.value(of("cmsg_level")?)?,
            kind: self.value(of("cmsg_type")?)?,
            data,
        })
    }
}
