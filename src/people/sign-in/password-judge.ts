/**
 * Lets a thread judge whether others would guess a password. The thread starts with the first password, and
 * ends some time after the last. Its lists are not loaded at startup, by a sync, or by a `serve` without a
 * new password.
 */
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { RetriableError } from '../../core/errors.ts';
import { createOneAtATime } from '../../core/one-at-a-time.ts';
import { ownProgram } from '../../core/own-file.ts';

/** A password, with the words that attackers try first. */
export interface PasswordQuestion {
  password: string;
  own: readonly string[];
  /** The number of characters that make a password long enough. */
  minLength: number;
}

export interface PasswordJudge {
  /** Returns true for a password that attackers would guess early. Throws a RetriableError if the estimate fails. */
  isGuessable(question: PasswordQuestion): Promise<boolean>;
  /** Starts to load the lists, because a user is about to type a new password. */
  prepare(minLength: number): void;
}

export interface JudgeLimits {
  /** The thread's program. */
  program: URL;
  /**
   * The maximum time that a thread may work on one password before it is terminated. For the first password, this
   * includes loading the lists.
   */
  mostTimeMs: number;
  /** A thread that has had no password to estimate for this time is ended. This frees its memory. */
  idleMs: number;
  /** The heap limit of the thread. */
  mostMemoryMb: number;
  /** The maximum number of passwords waiting for their turn. */
  mostWaiting: number;
}

const LIMITS: Omit<JudgeLimits, 'program'> = {
  mostTimeMs: 60_000,
  idleMs: 2 * 60_000,
  mostMemoryMb: 1_024,
  mostWaiting: 20,
};

export function createPasswordJudge(limits: Partial<JudgeLimits> = {}): PasswordJudge {
  const {
    program = ownProgram('src/people/sign-in/guess-worker'),
    mostTimeMs,
    idleMs,
    mostMemoryMb,
    mostWaiting,
  } = { ...LIMITS, ...limits };
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  // One password at a time, so the next answer belongs to this password.
  const inTurn = createOneAtATime(mostWaiting, unchecked);

  return {
    isGuessable: (question) => inTurn(() => ask(question)),
    prepare(minLength) {
      if (thread !== null) return;
      thread = begin();
      thread.postMessage({ password: null, own: [], minLength });
      rest(thread);
    },
  };

  function ask(question: PasswordQuestion): Promise<boolean> {
    clearTimeout(idle);
    return new Promise((resolve, reject) => {
      thread ??= begin();
      const asked = thread;
      asked.ref();
      const timer = setTimeout(fail, mostTimeMs);
      asked.once('message', answer).once('error', fail).once('exit', fail);
      asked.postMessage(question);

      function answer(message: unknown): void {
        const guessable = z.boolean().safeParse(message);
        if (!guessable.success) {
          fail(guessable.error);
          return;
        }
        leave();
        rest(asked);
        resolve(guessable.data);
      }

      function fail(cause?: unknown): void {
        leave();
        end();
        reject(unchecked(cause));
      }

      function leave(): void {
        clearTimeout(timer);
        asked.off('message', answer).off('error', fail).off('exit', fail);
      }
    });
  }

  /** Lets the program end without waiting for the thread. */
  function rest(resting: Worker): void {
    resting.unref();
    clearTimeout(idle);
    idle = setTimeout(end, idleMs).unref();
  }

  function begin(): Worker {
    const begun = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb, maxYoungGenerationSizeMb: 8 },
    });
    // A thread that ends while idle must not end the program. A new thread is started for the next password.
    return begun.on('error', dismiss).on('exit', dismiss);

    function dismiss(): void {
      if (thread === begun) thread = null;
    }
  }

  function end(): void {
    const ended = thread;
    thread = null;
    void ended?.terminate();
  }
}

function unchecked(cause?: unknown): RetriableError {
  return new RetriableError(
    'The password could not be compared with common passwords, so it was not accepted. Nothing was changed. Try again in a minute.',
    { code: 'password_unchecked', ...(cause instanceof Error ? { cause } : {}) },
  );
}
