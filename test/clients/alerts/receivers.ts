/** Contains stand-ins that receive alerts: a mail server and a webhook on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An email as the server received it. */
export interface Mail {
  from: string;
  to: string[];
  /** The headers and the body, as sent. */
  source: string;
}

export interface MailServerOptions {
  /**
   * With `offered`, the server offers STARTTLS with a certificate from an unknown authority. With `hidden`, which is
   * the default, it does not offer STARTTLS.
   */
  starttls?: 'offered' | 'hidden';
  /** The password for the user `sync`. Defaults to `right`. */
  password?: string;
}

/** Starts a mail server that accepts every email from anyone who knows the password. */
export async function startMailServer({
  starttls = 'hidden',
  password: rightPassword = 'right',
}: MailServerOptions = {}) {
  const mails: Mail[] = [];
  const signIns: { encrypted: boolean }[] = [];
  let refusal: string | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: starttls === 'offered' ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    // Without this option, each connection would wait for a name server that might not respond.
    disableReverseLookup: true,
    onAuth({ username, password }, { secure }, callback) {
      signIns.push({ encrypted: secure });
      if (username === 'sync' && password === rightPassword)
        return callback(null, { user: username });
      return callback(new Error('wrong password'));
    },
    onRcptTo(_address, _session, callback) {
      callback(refusal === null ? null : new Error(refusal));
    },
    onData(stream, { envelope }, callback) {
      let source = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        source += text;
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), source });
        callback(null);
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    mails,
    signIns,
    url: `smtp://sync:${rightPassword}@127.0.0.1:${portOf(server.server.address())}`,
    /** Makes the server refuse all recipients with this message. Null makes the server accept recipients again. */
    refuse(words: string | null) {
      refusal = words;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const ELSEWHERE = '/elsewhere';

/** Starts a webhook that records the messages it receives. */
export async function startWebhook() {
  const bodies: unknown[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    // The redirect's target accepts every caller.
    const answered = request.url === ELSEWHERE ? 204 : status;
    if (answered === 200) bodies.push(JSON.parse(text));
    response.writeHead(answered, { location: ELSEWHERE }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    bodies,
    url: `http://127.0.0.1:${portOf(server.address())}/services/secret`,
    /** Sets the status of all later responses. */
    answer(next: number) {
      status = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
}
