/** A message through each channel, to see whether it arrives. */
import type { AlertSettings, OwnAlerts } from '../../core/alert-settings.ts';
import { messageOf } from '../../core/errors.ts';
import { createChannels, createOwnChannel } from './channels.ts';
import { type Channel, testMessage } from './message.ts';
import { SEND_LIMIT_MS } from './notifier.ts';

/** What became of a test message. */
export interface ChannelTest {
  channel: Channel['name'];
  ok: boolean;
  /** Why it failed. */
  problem: string | null;
}

/** Sends one message through each channel of the settings, all at the same time. */
export function testChannels(settings: {
  alerts: AlertSettings;
  server: { publicUrl: string };
}): Promise<ChannelTest[]> {
  const message = testMessage(settings.server.publicUrl);
  return Promise.all(
    createChannels(settings.alerts).map(async (channel) => {
      const problem = await findSendProblem(
        channel.send(message, AbortSignal.timeout(SEND_LIMIT_MS)),
      );
      return { channel: channel.name, ok: problem === null, problem };
    }),
  );
}

/** The same through the channel that an integration has of its own; null if it has none. */
export async function testOwnChannel(
  own: OwnAlerts | undefined,
  publicUrl: string,
  fetch?: typeof globalThis.fetch,
): Promise<ChannelTest | null> {
  const channel = createOwnChannel(own, fetch);
  if (channel === null) return null;
  const sending = channel.send(testMessage(publicUrl), AbortSignal.timeout(SEND_LIMIT_MS));
  const problem = await findSendProblem(sending);
  return { channel: channel.name, ok: problem === null, problem };
}

/** Null if it did not fail. */
async function findSendProblem(sending: Promise<void>): Promise<string | null> {
  try {
    await sending;
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
