/** Builds the content of a user's own account page, for all routes that show this page. */
import type { Context } from 'hono';
import { listLinkedCrmUsers } from '../../../operations/doors/link.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { showMails } from '../../../operations/mails.ts';
import { askForNewPasskey, askForPasskey } from '../../../people/sign-in/passkeys.ts';
import { listPasskeys } from '../../../people/statements/passkeys.ts';
import { findPersonBy, type PersonRecord } from '../../../people/statements/people.ts';
import {
  isRecentProof,
  listSessions,
  type SessionOwner,
  type SessionRecord,
} from '../../../people/statements/sessions.ts';
import { describePasskey, readIdentity } from '../../../people/user-accounts.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { describeBrowser } from '../../api/request/peer.ts';
import type { PasskeySignIn } from '../../api/sign-in/by-passkey.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { AccountPasskeys, AccountView, Problem } from './account-page.tsx';

export interface AccountPages {
  answer(
    c: Context<HttpEnv>,
    what: { note?: string | null; problem?: Problem | null },
  ): Promise<Response>;
  /** Returns the signed-in user if the user has confirmed their identity recently. */
  findProved(c: Context<HttpEnv>): Promise<PersonRecord | null>;
  findPerson(c: Context<HttpEnv>): Promise<PersonRecord | null>;
  /** Returns the owner of the sessions on the page. Returns null for the first visitor and for programs. */
  getOwner(c: Context<HttpEnv>): SessionOwner | null;
}

export function accountPages(
  deps: HttpDeps,
  passkeys: PasskeySignIn,
  frame: PageFrame,
): AccountPages {
  const { application, clock, address } = deps;
  const { store, sealer } = application;

  function getOwner(c: Context<HttpEnv>): SessionOwner | null {
    const { personId, tokenId } = c.var.principal;
    if (personId !== null) return { personId };
    return tokenId === null ? null : { tokenId };
  }

  async function findPerson(c: Context<HttpEnv>): Promise<PersonRecord | null> {
    const { personId } = c.var.principal;
    return personId === null ? null : findPersonBy(store.reader, 'id', personId);
  }

  async function readSessions(c: Context<HttpEnv>): Promise<AccountView['sessions']> {
    const { sessionId } = c.var.principal;
    const owner = getOwner(c);
    const sessions = owner === null ? [] : await listSessions(store.reader, owner);
    return sessions.map((session) => ({ ...session, isThis: session.id === sessionId }));
  }

  function hasProved(sessions: AccountView['sessions']): boolean {
    const own = sessions.find(({ isThis }) => isThis);
    return own !== undefined && isRecent(own);
  }

  function isRecent({ begunAt, provedAt }: SessionRecord): boolean {
    return isRecentProof(Math.max(begunAt, provedAt ?? 0), clock.now());
  }

  async function readPasskeys(
    c: Context<HttpEnv>,
    person: PersonRecord | null,
    isProved: boolean,
  ): Promise<AccountPasskeys | null> {
    const { sessionId } = c.var.principal;
    if (person === null || sessionId === null) return null;
    const own = await listPasskeys(store.reader, person.id);
    const asking = passkeys.depsFor(c);
    const ask = asking && {
      add: isProved
        ? await askForNewPasskey(asking, { ceremony: 'add', boundTo: sessionId }, person)
        : null,
      prove:
        isProved || own.length === 0
          ? null
          : askForPasskey(asking, { ceremony: 'prove', boundTo: sessionId }),
    };
    return {
      own: own.map((passkey) => describePasskey(sealer, passkey)),
      canRemove: isProved,
      impossibleAt: ask === null ? address.url() : null,
      isFinal: address.from() !== 'default',
      ...(ask ?? { add: null, prove: null }),
      newName: describeBrowser(c) ?? 'My passkey',
    };
  }

  async function readLinks(c: Context<HttpEnv>): Promise<AccountView['links']> {
    return (await perform(toOperationDeps(deps), getCaller(c), listLinkedCrmUsers, {})).links;
  }

  async function readMails(c: Context<HttpEnv>): Promise<AccountView['mails']> {
    return (await perform(toOperationDeps(deps), getCaller(c), showMails, {})).mails;
  }

  return {
    getOwner,
    findPerson,
    findProved: async (c) => (hasProved(await readSessions(c)) ? findPerson(c) : null),
    async answer(c, { note = null, problem = null }) {
      const { principal } = c.var;
      const person = await findPerson(c);
      const sessions = await readSessions(c);
      const view: AccountView = {
        email: person === null ? null : readIdentity(sealer, person).email,
        hasPassword: person !== null && person.password !== null,
        passkeys: await readPasskeys(c, person, hasProved(sessions)),
        links: person === null ? [] : await readLinks(c),
        mails: person === null ? null : await readMails(c),
        sessions,
        problem,
      };
      const { renderAccount } = await import('./account-page.tsx');
      const status = problem === null ? 200 : 422;
      return c.html(renderAccount(frame.getViewer(principal), view, note), status);
    },
  };
}
