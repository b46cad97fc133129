import type { AlertSettings } from '../core/alert-settings.ts';
import { messageOf } from '../core/errors.ts';
import type { Channel } from './channel.ts';

const ANSWER_TIMEOUT_MS = 10_000;

/** A webhook that takes what those of Slack take; Mattermost, Teams and others do as well. */
export function createWebhookChannel({ url }: NonNullable<AlertSettings['webhook']>): Channel {
  return {
    name: 'webhook',
    async send({ title, text }, signal) {
      const reply = await post(url, { text: escaped(`${title}\n\n${text}`) }, signal);
      await reply.body?.cancel();
      if (!reply.ok) throw new Error(`The webhook answered with status ${reply.status}.`);
    },
  };
}

/** The address is a secret: it stands in no error, and redirects are not followed. */
async function post(url: string, body: object, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
  } catch (error) {
    throw new Error(`The webhook cannot be reached: ${causeOf(error)}`);
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? messageOf(error);
}

/** Slack reads these three characters as its own marks. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
