import type { AlertSettings } from '../core/alert-settings.ts';
import { plainLine, plainText } from '../core/printable.ts';
import type { Channel } from './channel.ts';
import { createEmailChannel } from './email.ts';
import { createWebhookChannel } from './webhook.ts';

/** The channels that the settings name; they open nothing yet. */
export function channelsOf({
  email,
  webhook,
}: Pick<AlertSettings, 'email' | 'webhook'>): Channel[] {
  const channels = [
    ...(email === null ? [] : [createEmailChannel(email)]),
    ...(webhook === null ? [] : [createWebhookChannel(webhook)]),
  ];
  return channels.map(plainly);
}

/** Names in a message may come from a CRM: nothing in it acts, and its title is one line. */
function plainly({ name, send }: Channel): Channel {
  return {
    name,
    send: ({ title, text }, signal) =>
      send({ title: plainLine(title), text: plainText(text) }, signal),
  };
}
