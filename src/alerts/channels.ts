import type { AlertSettings } from '../core/alert-settings.ts';
import type { Channel } from './channel.ts';
import { createEmailChannel } from './email.ts';
import { createWebhookChannel } from './webhook.ts';

/** The channels that the settings name; they open nothing yet. */
export function channelsOf({
  email,
  webhook,
}: Pick<AlertSettings, 'email' | 'webhook'>): Channel[] {
  return [
    ...(email === null ? [] : [createEmailChannel(email)]),
    ...(webhook === null ? [] : [createWebhookChannel(webhook)]),
  ];
}
