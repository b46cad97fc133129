/**
 * A thread that keeps the lists of common passwords. For one password after another, it judges whether others
 * would guess it.
 */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { loadGuesser } from './common-passwords.ts';

const questionSchema = z.object({
  /** Null only loads the lists, because there is no password to judge yet. */
  password: z.string().nullable(),
  own: z.array(z.string()),
  minLength: z.number(),
});

parentPort?.on('message', async (message: unknown) => {
  const { password, own, minLength } = questionSchema.parse(message);
  const isGuessable = await guesserFor(minLength);
  if (password === null) return;
  parentPort?.postMessage(isGuessable(password, own));
});

let guesser: ReturnType<typeof loadGuesser> | null = null;

function guesserFor(minLength: number): ReturnType<typeof loadGuesser> {
  guesser ??= loadGuesser(minLength);
  return guesser;
}
