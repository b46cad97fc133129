/** Sends a test message through each channel and reports the result. */
import type { AlertSettings, OwnAlerts } from '../../core/alert-settings.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { createChannels, createOwnChannel } from './channels.ts';
import { type Channel, testMessage } from './message.ts';
import { SEND_LIMIT_MS } from './notifier.ts';

/** The outcome of a test message. */
export interface ChannelTest {
  channel: Channel['name'];
  ok: boolean;
  problem: string | null;
}

/** Tests the channels. Throws a ConfigurationError (conflict) if there are no channels. */
export function testChannels(
  alerts: AlertSettings,
  publicUrl: string | null,
  signal: AbortSignal,
): Promise<ChannelTest[]> {
  const channels = createChannels(alerts);
  if (channels.length === 0) throw channelsUnset();
  const message = testMessage(publicUrl);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
  return Promise.all(
    channels.map(async (channel) => {
      const problem = await findSendProblem(channel.send(message, limited));
      return { channel: channel.name, ok: problem === null, problem };
    }),
  );
}

/** Tests a client's own channel. Returns null if the client has none. */
export async function testOwnChannel(
  own: OwnAlerts | undefined,
  publicUrl: string | null,
  fetch?: typeof globalThis.fetch,
): Promise<ChannelTest | null> {
  const channel = createOwnChannel(own, fetch);
  if (channel === null) return null;
  const sending = channel.send(testMessage(publicUrl), AbortSignal.timeout(SEND_LIMIT_MS));
  const problem = await findSendProblem(sending);
  return { channel: channel.name, ok: problem === null, problem };
}

export function channelsUnset(): ConfigurationError {
  return new ConfigurationError(
    'The settings do not contain a recipient for alerts. Nothing was sent. Add alerts.email or alerts.webhook.',
    { code: 'alerts_unset', refusal: 'conflict' },
  );
}

/** Creates the error for a client without its own channel. */
export function ownChannelUnset(id: string): ConfigurationError {
  return new ConfigurationError(
    `"${id}" does not have its own alert channel. Nothing was sent. Add alerts.webhook to its settings, or test the channels of all clients: donor-sync alerts test`,
    { code: 'alerts_own_unset', refusal: 'conflict', details: { integration: id } },
  );
}

/** Returns the reason why the message could not be sent, or null if it was sent. */
async function findSendProblem(sending: Promise<void>): Promise<string | null> {
  try {
    await sending;
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
