import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createChannels } from '../../../src/clients/alerts/channels.ts';
import { ACTING, ACTS } from '../../helpers/acting.ts';
import { startMailServer, startWebhook } from './receivers.ts';

const bodySchema = z.object({ text: z.string() });

describe('createChannels', () => {
  it('removes control characters from emails and webhook messages', async () => {
    const mailServer = await startMailServer();
    const webhook = await startWebhook();
    try {
      const email = { to: ['ann@example.org'], from: 'sync@example.org', smtp: mailServer.url };
      const message = { title: `River${ACTS}side\nBcc: x@y.z`, text: `One${ACTS}\ntwo\u{e0041}` };
      for (const channel of createChannels({ email, webhook: { url: webhook.url } })) {
        await channel.send(message, new AbortController().signal);
      }
      const [{ source } = { source: '' }] = mailServer.mails;
      expect(source).toContain('Subject: Riverside Bcc: x@y.z');
      expect(source.replaceAll('\r\n', '\n')).not.toMatch(ACTING);
      expect(webhook.bodies.map((body) => bodySchema.parse(body).text)).toEqual([
        'Riverside Bcc: x@y.z\n\nOne\ntwo',
      ]);
    } finally {
      await mailServer.close();
      await webhook.close();
    }
  });
});
