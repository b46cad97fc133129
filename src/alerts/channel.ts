import type { Message } from './message.ts';

/** One way to send messages. */
export interface Channel {
  /** As it is called in the settings. */
  name: 'email' | 'webhook';
  /**
   * Resolves once the message was taken; rejects with an Error that says why it was not, or that
   * it was given up because of the signal.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
}
