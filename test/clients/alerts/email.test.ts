import { afterEach, describe, expect, it } from 'vitest';
import { createEmailChannel } from '../../../src/clients/alerts/email.ts';
import { messageOf } from '../../../src/core/errors.ts';
import { type MailServerOptions, startMailServer } from './receivers.ts';

const MESSAGE = { title: 'donor-sync', text: 'The last run failed.' };

describe('createEmailChannel', () => {
  const open: Awaited<ReturnType<typeof startMailServer>>[] = [];

  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  it.each(['', '?requireTLS=false', '?ignoreTLS=true', '?opportunisticTLS=true', '?secure=false'])(
    'gives a server on another machine that does not encrypt neither password nor mail (%s)',
    async (query) => {
      const server = await start();
      await expect(send(elsewhere(server.url) + query)).rejects.toThrow(/could not be encrypted/);
      expect([server.signIns, server.mails]).toEqual([[], []]);
    },
  );

  it('says what to do about such a server', async () => {
    const server = await start();
    await expect(send(elsewhere(server.url))).rejects.toThrow(/smtps:\/\/.*STARTTLS/);
  });

  it('sends emails to another machine over an encrypted connection', async () => {
    const server = await start({ starttls: 'offered' });
    await send(`${elsewhere(server.url)}?tls.rejectUnauthorized=false`);
    expect(server.signIns).toEqual([{ encrypted: true }]);
    expect(server.mails).toHaveLength(1);
  });

  it('does not sign in to a mail server with an invalid certificate', async () => {
    const server = await start({ starttls: 'offered' });
    await expect(send(elsewhere(server.url))).rejects.toThrow(/certificate/);
    expect(server.signIns).toEqual([]);
  });

  it('needs no encryption within this machine', async () => {
    const server = await start();
    await send(server.url);
    expect(server.mails).toHaveLength(1);
  });

  it('tells the step and the code of a refusal, and none of the words of the server', async () => {
    const server = await start();
    server.refuse('Quartermain is worth $4,200,000');
    const refusal = await send(server.url).catch(messageOf);
    expect(refusal).toBe(
      'The mail server refused the recipient (550): check alerts.email.to and .from.',
    );
    const wrong = await send(server.url.replace('right', 'quartermain')).catch(messageOf);
    expect(wrong).toBe(
      'The mail server refused the login (535): check the user and the password in alerts.email.smtp.',
    );
    await server.close();
    open.splice(0);
    expect(await send(server.url).catch(messageOf)).toBe(
      'The mail server cannot be reached (ESOCKET): check alerts.email.smtp, and check that the server is running.',
    );
  });

  async function start(options?: MailServerOptions) {
    const server = await startMailServer(options);
    open.push(server);
    return server;
  }

  function send(smtp: string): Promise<void> {
    const channel = createEmailChannel({ to: ['a@example.org'], from: 'sync@example.org', smtp });
    return channel.send(MESSAGE, AbortSignal.timeout(5_000));
  }
});

/** Returns the server's URL with an address that leads to this machine but is not a loopback address. */
function elsewhere(url: string): string {
  return url.replace('127.0.0.1', '0.0.0.0');
}
