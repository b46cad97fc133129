/** People and their rights, and access tokens: for owners, who reach all integrations. */
import type { Context, Hono } from 'hono';
import { newId } from '../../../core/new-id.ts';
import { hashToken, newAccessToken } from '../../../people/access-token.ts';
import {
  addAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from '../../../people/statements/access.ts';
import { endSessions } from '../../../people/statements/sessions.ts';
import {
  changeRights,
  disablePerson,
  type Invited,
  invitationPath,
  inviteAgain,
  invitePerson,
  listPeople,
  type PeopleDeps,
  removeLostPasskey,
  removePerson,
  requireSensible,
} from '../../../people/user-accounts.ts';
import type { Store } from '../../../store.ts';
import { allClientsOnly } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { publicAddress } from '../../api/webhooks/hook-address.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { readInvited, readRights, readTokenName } from './forms.ts';
import type { ShownOnce } from './people-page.tsx';

export function peopleRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, clock, publicUrl } = deps;
  const app = frame.room();
  const limited = limitBody(MAX_API_BODY_BYTES);

  app.get('/people', frame.see('owner'), allClientsOnly, async (c) => {
    const note = c.req.query('note') ?? '';
    return page(c, { note: isNote(note) ? NOTES[note] : null });
  });

  app.post('/people', frame.act('owner'), allClientsOnly, limited, async (c) => {
    const form = await readForm(c);
    const rights = readRights(form, getIds(application));
    const { name, email } = readInvited(form);
    const invited = await invitePerson(people(c), { name, email, ...rights });
    return page(c, { shown: toShownLink(invited, name) });
  });

  app.post('/people/:id/link', frame.act('owner'), allClientsOnly, async (c) => {
    const invited = await inviteAgain(people(c), c.req.param('id'));
    const person = (await listPeople(people(c))).find(({ id }) => id === invited.id);
    return page(c, { shown: toShownLink(invited, person?.name ?? '') });
  });

  app.post('/people/:id/rights', frame.act('owner'), allClientsOnly, limited, async (c) => {
    const rights = readRights(await readForm(c), getIds(application));
    await changeRights(people(c), c.req.param('id'), rights);
    return c.redirect('/people?note=changed', 303);
  });

  for (const word of ['disable', 'enable'] as const) {
    app.post(`/people/:id/${word}`, frame.act('owner'), allClientsOnly, async (c) => {
      await disablePerson(people(c), c.req.param('id'), word === 'disable');
      return c.redirect(`/people?note=${word}d`, 303);
    });
  }

  app.post('/people/:id/remove', frame.act('owner'), allClientsOnly, async (c) => {
    await removePerson(people(c), c.req.param('id'));
    return c.redirect('/people?note=removed', 303);
  });

  app.post(
    '/people/:id/passkeys/:passkey/remove',
    frame.act('owner'),
    allClientsOnly,
    async (c) => {
      const { id, passkey } = c.req.param();
      await removeLostPasskey(people(c), id, passkey);
      return c.redirect('/people?note=passkeyRemoved', 303);
    },
  );

  app.post('/people/:id/sign-out', frame.act('owner'), allClientsOnly, async (c) => {
    const personId = c.req.param('id');
    await acting(c).act((trx) => endSessions(trx, { personId }, { keep: null }));
    return c.redirect('/people?note=signedOut', 303);
  });

  app.post('/tokens', frame.act('owner'), allClientsOnly, limited, async (c) => {
    const form = await readForm(c);
    const rights = readRights(form, getIds(application));
    requireSensible(rights);
    const name = readTokenName(form);
    const token = newAccessToken();
    const id = newId(clock.now());
    await acting(c).act((trx) =>
      addAccessToken(trx, { id, name, hash: hashToken(token), ...rights }),
    );
    return page(c, { shown: { what: 'token', name, secret: token } });
  });

  app.post('/tokens/:id/revoke', frame.act('owner'), allClientsOnly, async (c) => {
    await acting(c).act((trx) => revokeAccessToken(trx, c.req.param('id')));
    return c.redirect('/people?note=revoked#tokens', 303);
  });
  return app;

  function acting(c: Context<HttpEnv>): Store {
    return application.store.actingAs(c.get('actor'));
  }

  function people(c: Context<HttpEnv>): PeopleDeps {
    return { store: acting(c), sealer: application.sealer, clock };
  }

  function toShownLink(invited: Invited, name: string): ShownOnce {
    return { what: 'link', name, secret: publicAddress(publicUrl, invitationPath(invited)) };
  }

  async function page(
    c: Context<HttpEnv>,
    { note = null, shown = null }: { note?: string | null; shown?: ShownOnce | null },
  ) {
    const tokens = await listAccessTokens(acting(c).reader);
    const view = {
      people: await listPeople(people(c)),
      tokens,
      integrations: [...application.integrations.values()].map(({ id, name = id }) => ({
        id,
        name,
      })),
      shown,
    };
    const { renderPeople } = await import('./people-page.tsx');
    return c.html(renderPeople(frame.getViewer(c.var.principal), view, note));
  }
}

function getIds({ integrations }: Pick<HttpDeps['application'], 'integrations'>) {
  return new Set(integrations.keys());
}

/** What can be said on the next page: only these words, whatever the address has. */
const NOTES = {
  changed: 'The new rights count from now on.',
  disabled: 'The person gets in no more, and was signed out everywhere.',
  enabled: 'The person may sign in again.',
  removed: 'The person is taken out.',
  passkeyRemoved:
    'The passkey lets no one in any more, and the person was signed out everywhere. If it was the only way in, make a new link.',
  signedOut: 'The person was signed out everywhere.',
  revoked: 'The token is worth nothing any more.',
} as const;

function isNote(word: string): word is keyof typeof NOTES {
  return Object.hasOwn(NOTES, word);
}
