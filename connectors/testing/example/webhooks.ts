/** The webhooks of the example CRM. The CRM signs each call, and a call can contain several events. */
import { createHmac } from 'node:crypto';
import type { CrmWebhooks } from '../../webhooks.ts';

/** The types of all events about contacts start with this prefix. */
const PREFIX = 'contact.';

export const EXAMPLE_WEBHOOKS: CrmWebhooks = {
  signature: {
    label: 'signed by Example',
    secretNoun: 'the webhook secret',
    settingsNoun: 'Example’s webhook secret',
    variable: 'EXAMPLE_WEBHOOK_SECRET',
    help: 'Example shows it in its settings.',
    findSecret: () => null,
    versions: [
      {
        header: 'x-example-signature',
        timestamp: { header: 'x-example-time', unitMs: 1000 },
        sign: (secret, { body }, timestamp) =>
          createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'),
      },
    ],
  },
  readEvent({ exampleEvent, account, contacts, reason }) {
    if (typeof exampleEvent !== 'string' || !Array.isArray(contacts)) return null;
    return {
      ids: exampleEvent.startsWith(PREFIX) ? contacts : [],
      account,
      isPrivacyDeletion: exampleEvent === `${PREFIX}deleted` && reason === 'privacy',
    };
  },
};
