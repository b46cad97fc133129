/** Adds and removes a user's own passkeys, after the user has confirmed their identity. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isConfigurationError } from '../../../core/errors.ts';
import { readNewPasskey } from '../../../people/sign-in/passkeys.ts';
import { isPassword } from '../../../people/sign-in/password.ts';
import {
  addPasskey,
  MAX_PASSKEYS,
  type PasskeyAdded,
} from '../../../people/statements/passkeys.ts';
import { recordProof } from '../../../people/statements/sessions.ts';
import { type PeopleDeps, removePasskey } from '../../../people/user-accounts.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { HttpError } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import {
  countWhile,
  createSharedAttempts,
  PASSWORDS_OF_ONE,
  type SharedAttempts,
} from '../../api/sign-in/attempts.ts';
import type { PasskeySignIn } from '../../api/sign-in/by-passkey.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { AccountPages } from './account-view.ts';
import { passkeyShape, passwordSchema, readPasskeyName } from './forms.ts';

export interface PasskeyDoors {
  passkeys: PasskeySignIn;
  hasProvider: boolean;
  /** True if users can sign in with a password. */
  passwordsCount: boolean;
  /** Counts wrong passwords that users type on their own account page. */
  guesses: SharedAttempts;
}

export function passkeyRoutes(
  { application, clock }: Pick<HttpDeps, 'application' | 'clock'>,
  { passkeys, hasProvider, passwordsCount, guesses }: PasskeyDoors,
  pages: AccountPages,
  frame: PageFrame,
): Hono<HttpEnv> {
  const { sealer } = application;
  const app = frame.room();
  const limited = limitBody(MAX_API_BODY_BYTES);

  app.post('/account/proof', frame.act('viewer'), limited, async (c) => {
    const { password, next, ...answer } = proofSchema.parse(await readForm(c));
    const person = await pages.findPerson(c);
    const { sessionId } = c.var.principal;
    if (person === null || sessionId === null) throw withoutPasskeys();
    if (answer.response !== '') {
      if (!(await passkeys.prove(c, person.id, sessionId, answer))) {
        return refuse(
          c,
          'This passkey is not accepted here, or the request took longer than five minutes.',
        );
      }
    } else {
      const isRight = await countWhile([[guesses, person.id]], () =>
        isPassword(password, person.password),
      );
      if (!isRight) {
        return refuse(c, 'The password is wrong.');
      }
      await guesses.takeBack(person.id);
    }
    await recordProof(application.store.connection, sessionId);
    return c.redirect(next === '' ? '/account?note=proved#passkeys' : next, 303);
  });

  app.post('/account/passkeys', frame.act('viewer'), limited, async (c) => {
    const form = await readForm(c);
    const { sessionId } = c.var.principal;
    const person = await pages.findProved(c);
    if (person === null || sessionId === null) return refuse(c, NOT_PROVED);
    const asking = passkeys.depsFor(c);
    if (asking === null) throw withoutPasskeys();
    const asked = { ceremony: 'add', boundTo: sessionId } as const;
    const made = await readNewPasskey(
      { ...asking, ...people(c) },
      asked,
      z.object(passkeyShape).parse(form),
      readPasskeyName(form),
    );
    if (made === null) return refuse(c, NOT_MADE);
    const added = await people(c).store.act((trx) => addPasskey(trx, person.id, made));
    if (added !== 'done') return refuse(c, NOT_ADDED[added]);
    return c.redirect('/account?note=passkeyAdded#passkeys', 303);
  });

  app.post('/account/passkeys/:id/remove', frame.act('viewer'), async (c) => {
    const person = await pages.findProved(c);
    if (person === null) return refuse(c, NOT_PROVED);
    const removal = {
      personId: person.id,
      id: c.req.param('id'),
      alsoLast: false,
      hasProvider,
      passwordsCount,
      keptSession: c.var.principal.sessionId,
    };
    try {
      await people(c).store.act((trx) => removePasskey(trx, removal));
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      return refuse(c, error.message);
    }
    return c.redirect('/account?note=passkeyRemoved#passkeys', 303);
  });
  return app;

  function people(c: Context<HttpEnv>): PeopleDeps {
    return { store: application.store.actingAs(c.get('actor')), sealer, clock };
  }

  function refuse(c: Context<HttpEnv>, text: string) {
    return pages.answer(c, { problem: { about: 'passkeys', text } });
  }
}

/** Creates the counter of wrong passwords that a signed-in user types. */
export function createGuesses({
  application,
  clock,
}: Pick<HttpDeps, 'application' | 'clock'>): SharedAttempts {
  const counted = { what: 'password_own', limit: PASSWORDS_OF_ONE } as const;
  return createSharedAttempts(application.store, clock, counted);
}

const proofSchema = z.object({
  password: passwordSchema,
  ...passkeyShape,
  /** The page that requires the proof of identity. Defaults to the account page. */
  next: z.literal('/address').or(z.literal('')).catch(''),
});

const NOT_PROVED = 'You signed in a while ago. Confirm your identity first, then try again.';

/** The message if a browser created no passkey. The join page also shows this message. */
export const NOT_MADE =
  "The passkey was not accepted: the browser's response was not for this page, or arrived after more than five minutes. Try again; passkeys need JavaScript.";

const NOT_ADDED: Readonly<Record<Exclude<PasskeyAdded, 'done'>, string>> = {
  known: 'This passkey is already registered here.',
  too_many: `A user can have ${MAX_PASSKEYS} passkeys. Remove a passkey that you no longer use.`,
  unknown_person: 'You are no longer allowed to sign in.',
};

function withoutPasskeys(): HttpError {
  return new HttpError(
    422,
    'passkeys_none',
    'Passkeys are not available here: they need a signed-in user and a public address with a host name.',
  );
}
