import type { AlertSettings, OwnAlerts } from '../../core/alert-settings.ts';
import { isConfigurationError, messageOf } from '../../core/errors.ts';
import { plainLine, plainText } from '../../core/printable.ts';
import { outboundFetch } from '../../outbound/guard.ts';
import { createEmailChannel } from './email.ts';
import type { Channel } from './message.ts';

/** Creates the channels in the settings. Creating a channel opens no connection. */
export function createChannels({
  email,
  webhook,
}: Pick<AlertSettings, 'email' | 'webhook'>): Channel[] {
  const channels = [
    ...(email === null ? [] : [createEmailChannel(email)]),
    ...(webhook === null ? [] : [createWebhookChannel(webhook, outboundFetch('anywhere'))]),
  ];
  return channels.map(plainly);
}

/**
 * Creates a client's own channel, which sends its messages with `fetch`. If the address was set in a browser, `fetch`
 * checks it first.
 */
export function createOwnChannel(
  own: OwnAlerts | undefined,
  fetch: typeof globalThis.fetch = outboundFetch('anywhere'),
): Channel | null {
  return own === undefined ? null : plainly(createWebhookChannel(own.webhook, fetch));
}

/** Escapes a message, because its names may come from a CRM. The title stays on one line. */
function plainly({ name, send }: Channel): Channel {
  return {
    name,
    send: ({ title, text }, signal) =>
      send({ title: plainLine(title), text: plainText(text) }, signal),
  };
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Creates a channel for a webhook. The webhook must accept the same messages as Slack's webhooks, as the webhooks of
 * Mattermost and Teams do.
 */
function createWebhookChannel(
  { url }: NonNullable<AlertSettings['webhook']>,
  fetch: typeof globalThis.fetch,
): Channel {
  return {
    name: 'webhook',
    async send({ title, text }, signal) {
      const reply = await post(fetch, url, { text: escaped(`${title}\n\n${text}`) }, signal);
      await reply.body?.cancel();
      if (!reply.ok) throw new Error(`The webhook responded with status ${reply.status}.`);
    },
  };
}

/** Sends a message. The address is secret, so errors never contain it, and redirects are not followed. */
async function post(
  send: typeof globalThis.fetch,
  url: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
  } catch (error) {
    throw new Error(`The webhook cannot be reached: ${describeCause(error)}`);
  }
}

function describeCause(error: unknown): string {
  // The error contains the host, which is a part of the secret address.
  if (isConfigurationError(error)) {
    return 'its address was set in a browser and leads into a private network.';
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? messageOf(error);
}

/** Escapes the three characters that Slack reads as markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
