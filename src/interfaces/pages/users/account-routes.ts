/**
 * Serves the pages for a user's own account, password, passkeys and sessions. The routes also serve the page of an
 * invitation link.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isConfigurationError } from '../../../core/errors.ts';
import { askForNewPasskey, readNewPasskey } from '../../../people/sign-in/passkeys.ts';
import { expectNewPassword } from '../../../people/sign-in/password.ts';
import { endSessions, toAccount } from '../../../people/statements/sessions.ts';
import {
  changePassword,
  findInvited,
  joinBy,
  type PeopleDeps,
  readIdentity,
} from '../../../people/user-accounts.ts';
import { dropNamesOfUser } from '../../../privacy/shown-names.ts';
import type { Access } from '../../api/access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { HttpError } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { type ClientAddress, describeBrowser, requireSameOrigin } from '../../api/request/peer.ts';
import { countWhile } from '../../api/sign-in/attempts.ts';
import type { PasskeySignIn } from '../../api/sign-in/by-passkey.ts';
import type { ProviderSignIn } from '../../api/sign-in/by-provider.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { accountPages } from './account-view.ts';
import { passkeyShape, passwordSchema } from './forms.ts';
import { createGuesses, NOT_MADE, passkeyRoutes } from './passkey-routes.ts';

export interface AccountDoors {
  access: Access;
  passkeys: PasskeySignIn;
  /** Signs users in with the identity provider. Null if the settings contain no provider. */
  provider: ProviderSignIn | null;
  getAddress: ClientAddress;
}

export function accountRoutes(
  deps: HttpDeps,
  { access, passkeys, provider, getAddress }: AccountDoors,
  frame: PageFrame,
): Hono<HttpEnv> {
  const { application, clock, address } = deps;
  const { store, sealer } = application;
  const app = frame.room();
  const limited = limitBody(MAX_API_BODY_BYTES);
  const guesses = createGuesses(deps);
  const pages = accountPages(deps, passkeys, frame);
  const hasProvider = provider !== null;
  const passwordsCount = deps.passwords ?? true;
  const ways = { passkeys, hasProvider, passwordsCount, guesses };
  app.route('/', passkeyRoutes(deps, ways, pages, frame));

  app.get('/account', frame.see('viewer'), async (c) => {
    const note = c.req.query('note') ?? '';
    return pages.answer(c, { note: isNote(note) ? NOTES[note] : null });
  });

  app.post('/account/password', frame.act('viewer'), limited, async (c) => {
    const { sessionId } = c.var.principal;
    const person = await pages.findPerson(c);
    if (person === null) throw withoutPassword();
    const { old, fresh } = passwordsSchema.parse(await readForm(c));
    try {
      await countWhile([[guesses, person.id]], () =>
        changePassword(people(c), person, { old, fresh, session: sessionId }),
      );
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      if (error.code !== 'password_wrong') await guesses.takeBack(person.id);
      return pages.answer(c, { problem: { about: 'password', text: error.message } });
    }
    await guesses.takeBack(person.id);
    return c.redirect('/account?note=password', 303);
  });

  app.post('/account/sessions/:id/end', frame.act('viewer'), async (c) => {
    const owner = pages.getOwner(c);
    if (owner !== null)
      await acting(c).act((trx) => endSessions(trx, owner, { id: c.req.param('id') }));
    return c.redirect('/account?note=ended', 303);
  });

  app.post('/account/sign-out-everywhere', frame.act('viewer'), async (c) => {
    const owner = pages.getOwner(c);
    if (owner !== null) {
      await acting(c).act((trx) => endSessions(trx, owner, { keep: null }));
      dropNamesOfUser(store.fingerprint, toAccount(owner));
    }
    return c.redirect('/sign-in', 303);
  });

  app.get('/join/:secret', async (c) => {
    const secret = c.req.param('secret');
    return joinPage(c, secret, null);
  });

  app.post('/join/:secret', limited, async (c) => {
    requireSameOrigin(c, address.url(), 'allowed');
    const secret = c.req.param('secret');
    const way = await readCredential(c, secret, await readForm(c));
    if (way === null) return joinPage(c, secret, NOT_MADE);
    const actor = { kind: 'session', name: null, from: getAddress(c) } as const;
    const joining: PeopleDeps = {
      store: store.actingAs(actor),
      sealer,
      clock,
      clientNames: clientNames(),
    };
    try {
      const person = await joinBy(joining, secret, way);
      if (person === null) return joinPage(c, secret, null);
      await access.signInAs(c, person, typeof way === 'string' ? {} : { by: 'passkey' });
      return c.redirect('/', 303);
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      return joinPage(c, secret, error.message);
    }
  });
  return app;

  function acting(c: Context<HttpEnv>) {
    return store.actingAs(c.get('actor'));
  }

  function people(c: Context<HttpEnv>): PeopleDeps {
    return { store: acting(c), sealer, clock, clientNames: clientNames() };
  }

  function clientNames(): string[] {
    return [...application.integrations.values()].flatMap(({ id, name }) => [id, name ?? '']);
  }

  /** Returns the password or the passkey in the form. Returns null if the password or the passkey is not valid. */
  async function readCredential(
    c: Context<HttpEnv>,
    secret: string,
    form: Record<string, unknown>,
  ) {
    const { response, way } = z.object(passkeyShape).parse(form);
    const asking = passkeys.depsFor(c);
    if (response === '' || asking === null) return passwordsSchema.parse(form).fresh;
    const asked = { ceremony: 'join', boundTo: secret } as const;
    return readNewPasskey(asking, asked, { response, way }, describeBrowser(c) ?? 'My passkey');
  }

  async function joinPage(c: Context<HttpEnv>, secret: string, problem: string | null) {
    const joining: PeopleDeps = { store, sealer, clock };
    const person = await findInvited(joining, secret);
    const { renderJoin } = await import('./join-page.tsx');
    const stranger = frame.getViewer(null);
    if (person === null) {
      access.noteWrong(c);
      return c.html(renderJoin(stranger, null), 404);
    }
    expectNewPassword();
    const { name, email } = readIdentity(sealer, person);
    const asked = { ceremony: 'join', boundTo: secret } as const;
    const asking = passkeys.depsFor(c);
    const passkey = asking && (await askForNewPasskey(asking, asked, person));
    const view = { name, email, isNew: person.joinedAt === null, passkey, problem };
    return c.html(renderJoin(stranger, view), problem === null ? 200 : 422);
  }
}

const passwordsSchema = z.object({ old: passwordSchema, fresh: passwordSchema });

function withoutPassword(): HttpError {
  return new HttpError(
    422,
    'password_none',
    'You are signed in with an access token, which has no password.',
  );
}

/** Notes for the next page. The page's address contains only the name of a note, never its text. */
const NOTES = {
  attacked:
    'Someone has tried ten or more wrong passwords for your account in the last 15 minutes. None of them was correct. A passkey cannot be guessed: add one here.',
  linked: 'Your user in the CRM is linked to your account. Reload the record in the CRM.',
  unlinked: 'The link to your user in the CRM was ended.',
  password: 'Your password was changed. You were signed out everywhere else.',
  ended: 'The session was ended.',
  mailOn: 'The email is on. donor-sync sends it for the first time next month.',
  mailOff: 'The email is off.',
  mailProof: 'donor-sync sent you an email with a link. Open the link to confirm your address.',
  mailVerified:
    'Your address is confirmed. donor-sync will send the emails that you chose to this address.',
  proved: 'Your identity is confirmed. For the next ten minutes, you can add and remove passkeys.',
  passkeyAdded: 'The passkey was added. You can sign in with it from now on.',
  passkeyRemoved: 'The passkey was removed. You were signed out everywhere else.',
} as const;

function isNote(word: string): word is keyof typeof NOTES {
  return Object.hasOwn(NOTES, word);
}
