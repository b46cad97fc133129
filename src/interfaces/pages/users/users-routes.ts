/** Handles users, their rights and access tokens. Only owners with access to all clients can use these routes. */
import type { Context, Hono } from 'hono';
import { listDoorTokens } from '../../../clients/statements/door-tokens.ts';
import { createDoorToken, createToken, revokeToken } from '../../../operations/tokens.ts';
import {
  changeRole,
  disableUser,
  enableUser,
  inviteUser,
  removeUser,
  removeUserPasskey,
  renewLink,
  signUserOut,
} from '../../../operations/users.ts';
import { listAccessTokens } from '../../../people/statements/access.ts';
import { listPeople } from '../../../people/user-accounts.ts';
import { allClientsOnly } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { readRights } from './forms.ts';
import { sortUsers, userOrderSchema } from './user-order.ts';
import type { ShownOnce } from './users-page.tsx';

export function userPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, address, clock } = deps;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  app.get('/users', frame.see('owner'), allClientsOnly, async (c) => {
    const note = c.req.query('note') ?? '';
    return page(c, { note: isNote(note) ? NOTES[note] : null });
  });

  add('/users', inviteUser, {
    read: withRights,
    answer: (c, { user, link }) =>
      page(c, { shown: { what: 'link', name: user.name, secret: link } }),
  });
  add('/users/:user/link', renewLink, {
    answer: (c, { user, link }) =>
      page(c, { shown: { what: 'link', name: user.name, secret: link } }),
  });
  add('/users/:user/role', changeRole, { read: withRights, answer: back('changed') });
  add('/users/:user/disable', disableUser, { answer: back('disabled') });
  add('/users/:user/enable', enableUser, { answer: back('enabled') });
  add('/users/:user/remove', removeUser, { answer: back('removed') });
  add('/users/:user/passkeys/:passkey/remove', removeUserPasskey, {
    answer: back('passkeyRemoved'),
  });
  add('/users/:user/sign-out', signUserOut, { answer: back('signedOut') });
  add('/tokens', createToken, {
    read: withRights,
    answer: (c, { name, token }) => page(c, { shown: { what: 'token', name, secret: token } }),
  });
  add('/door-tokens', createDoorToken, {
    read: (form) => ({ ...form, perDay: Number(form['perDay']) }),
    answer: (c, { name, token }) => page(c, { shown: { what: 'token', name, secret: token } }),
  });
  add('/tokens/:token/revoke', revokeToken, {
    answer: (c) => c.redirect('/users?note=revoked#tokens', 303),
  });
  return app;

  async function page(
    c: Context<HttpEnv>,
    { note = null, shown = null }: { note?: string | null; shown?: ShownOnce | null },
  ) {
    const { store, sealer, integrations } = application;
    const { reader } = store;
    const sort = userOrderSchema.parse(c.req.query('sort'));
    const view = {
      people: sortUsers(await listPeople({ reader, sealer, clock }), sort),
      sort,
      tokens: await listAccessTokens(reader),
      doorTokens: await listDoorTokens(reader),
      integrations: [...integrations.values()].map(({ id, name = id }) => ({ id, name })),
      shown,
      address: { url: address.url(), from: address.from() },
    };
    const { renderUsers } = await import('./users-page.tsx');
    return c.html(renderUsers(frame.getViewer(c.var.principal), view, note));
  }
}

/** Returns the fields of a form that contains a role and a checkbox for each client. */
function withRights(form: Record<string, unknown>): object {
  return { ...form, ...readRights(form) };
}

function back(note: Note) {
  return (c: Context<HttpEnv>) => c.redirect(`/users?note=${note}`, 303);
}

/** Notes for the next page. The page's address contains only the name of a note, never its text. */
const NOTES = {
  changed: 'The new rights apply from now on.',
  disabled: 'The user can no longer sign in and was signed out everywhere.',
  enabled: 'The user can sign in again.',
  removed: 'The user was removed.',
  passkeyRemoved:
    'The passkey was removed, and the user was signed out everywhere. If it was the only way to sign in, create a new link.',
  signedOut: 'The user was signed out everywhere.',
  revoked: 'The token was revoked.',
} as const;

type Note = keyof typeof NOTES;

function isNote(word: string): word is Note {
  return Object.hasOwn(NOTES, word);
}
