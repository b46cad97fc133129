/** A thread that loads the lists of common passwords. The thread judges one password after another. */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { loadGuesser } from './common-passwords.ts';

const questionSchema = z.object({
  /** The password, or null if the thread only has to load the lists. */
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
