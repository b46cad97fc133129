/**
 * A thread that keeps the lists of common passwords, and judges for one password after another
 * whether others would guess it.
 */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { loadGuesser } from './common-passwords.ts';

const questionSchema = z.object({
  /** Null means that only the lists are to be loaded, and there is no password to judge yet. */
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
