/** Receivers of alerts: a mail server and a webhook, on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as it arrived. */
export interface Mail {
  from: string;
  to: string[];
  /** Headers and text, as sent. */
  source: string;
}

export interface MailServerOptions {
  /** `offered`: with a certificate of no known authority. `hidden` (the default): as if it were unknown. */
  starttls?: 'offered' | 'hidden';
  /** The password with which `sync` signs in. Defaults to `right`. */
  password?: string;
}

/** Starts a mail server that accepts everything from anyone who knows the password. */
export async function startMailServer({
  starttls = 'hidden',
  password: rightPassword = 'right',
}: MailServerOptions = {}) {
  const mails: Mail[] = [];
  /** For each sign-in, whether it was encrypted. */
  const signIns: { encrypted: boolean }[] = [];
  let refusal: string | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: starttls === 'offered' ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    // If no name server responds, each connection would wait for one.
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
    /** Refuses all recipients from now on with these words. Null ends it. */
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
    // A caller that follows the redirection is accepted there.
    const answered = request.url === ELSEWHERE ? 204 : status;
    if (answered === 200) bodies.push(JSON.parse(text));
    response.writeHead(answered, { location: ELSEWHERE }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    bodies,
    url: `http://127.0.0.1:${portOf(server.address())}/services/secret`,
    /** Answers with this status from now on. */
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
