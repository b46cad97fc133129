/**
 * Lets a thread judge whether attackers would guess a password early. The thread starts with the first password and
 * ends when no password has arrived for a while. The thread's lists are not loaded at startup or by a sync. `serve`
 * loads the lists only if a user chooses a new password.
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
   * The maximum time that a thread may work on one password. After this time, the thread is terminated. For the first
   * password, the time includes loading the lists.
   */
  mostTimeMs: number;
  /** The thread ends if no password arrives for this time. This frees the thread's memory. */
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
  // The thread judges one password at a time, so the next answer belongs to this password.
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

  /** Lets the process end without waiting for the thread. */
  function rest(resting: Worker): void {
    resting.unref();
    clearTimeout(idle);
    idle = setTimeout(end, idleMs).unref();
  }

  function begin(): Worker {
    const begun = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb, maxYoungGenerationSizeMb: 8 },
    });
    // If the idle thread ends, the process continues. The next password starts a new thread.
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
