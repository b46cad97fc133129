/**
 * Shows the status of each client's networks, and the members who can introduce a contact. Most of the data comes from
 * the database.
 */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { findContacts } from '../../../contacts/contacts.ts';
import { mayActAs } from '../../../core/role.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import { choosePaths, pathSentence, WEAKEST } from '../../../networks/network-picture.ts';
import { describeNetworks } from '../../../networks/overview.ts';
import { findContactsByName, showContact } from '../../../operations/contacts.ts';
import { getRanking } from '../../../operations/introductions/ranking.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { checkNetworks, repairNetworks } from '../../../operations/networks.ts';
import { findProspects, MAX_PROSPECTS } from '../../../operations/paths.ts';
import { readShownPicture, type ShownPicture } from '../../../operations/shown-picture.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { sendCsv } from '../../api/operation-routes.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { findIntegration, listAccessible } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { aboutField } from '../frame/refused-forms.ts';
import { toCsv } from './csv.ts';
import {
  getShownPerson,
  listContactIds,
  MAX_SENTENCES,
  type Names,
  pictureData,
} from './picture.ts';
import { buildHref, querySchema, toFilter } from './query.ts';
import { createRepairs } from './repairs.ts';
import { readShownNames } from './shown-people.ts';

/** The number of clients on one page. */
const PAGE = 20;

/** The maximum number of names that a page requests from the CRM. The contacts with the strongest paths come first. */
const MAX_NAMES = 400;

export function networkPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const { store } = application;
  const app = frame.room();
  const repairs = createRepairs(deps);
  const world = toOperationDeps(deps);
  const { reader, fingerprint } = store;
  const { sealer } = application;
  const ranking = { application, reader, fingerprint, sealer, clock: deps.clock };

  app.get('/networks', frame.see('viewer'), async (c) => {
    const { from } = z
      .object({ from: z.coerce.number().int().min(0).catch(0) })
      .parse(c.req.query());
    const clients = [...listAccessible(c, application).values()].filter(
      ({ networks }) => networks.length > 0,
    );
    const shown = await Promise.all(
      clients.slice(from, from + PAGE).map(async (integration) => ({
        id: integration.id,
        name: integration.name ?? integration.id,
        networks: await describeNetworks({ store }, integration),
        paths: (await getRanking(ranking, integration.id)).length,
        repair: repairs.getState(integration.id),
      })),
    );
    const { renderNetworks } = await import('./network-pages.tsx');
    const viewer = frame.getViewer(c.get('principal'));
    return c.html(
      renderNetworks(viewer, { clients: shown, from, total: clients.length, page: PAGE }),
    );
  });

  app.get('/networks/:id', frame.see('viewer'), async (c) => {
    const integration = findIntegration(c, application, c.req.param('id'));
    const { id, name = id } = integration;
    const query = querySchema.parse(c.req.query());
    const picture = await pictureOf(id, query.who);
    // The page's address must not contain text that the user typed.
    if (query.who !== null && !isKnown(picture, query.who)) {
      const known = await findContacts(store.reader, id, [query.who]);
      if (known.size === 0) return c.redirect(buildHref(id, query, { who: null }), 303);
    }
    const chosen = choosePaths(picture, toFilter(query), query.sort);
    const from = Math.min(query.from, Math.max(0, chosen.length - 1));
    const listed = chosen.slice(from, from + ROWS);
    const withNames = query.names && maySeeNames(c);
    const wanted = { ...picture, paths: listed };
    const names = withNames ? await namesFor(c, id, wanted) : null;
    const rows = listed.filter(({ contact }) => names === null || names.has(contact));
    const person = query.who === null ? null : await personFor(c, id, query.who, picture);
    const { renderNetwork } = await import('./network-pages.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(
      renderNetwork(frame.getViewer(c.get('principal')), {
        integration: { id, name },
        picture,
        rows,
        names,
        person,
        query: { ...query, from, names: withNames },
        count: chosen.length,
        size: ROWS,
      }),
    );
  });

  /** Returns the picture's data for the page's script. The response is never cached, because it may contain names. */
  app.get('/networks/:id/picture', frame.see('viewer'), async (c) => {
    const { id } = findIntegration(c, application, c.req.param('id'));
    const query = querySchema.parse(c.req.query());
    const picture = await pictureOf(id, query.who);
    const names = query.names && maySeeNames(c) ? await namesFor(c, id, picture) : null;
    c.header('Cache-Control', 'no-store');
    return c.json(pictureData(picture, names));
  });

  app.get('/networks/:id/paths.csv', frame.see('viewer'), async (c) => {
    const { id } = findIntegration(c, application, c.req.param('id'));
    const query = querySchema.parse(c.req.query());
    const picture = await pictureOf(id, query.who);
    c.header('Cache-Control', 'no-store');
    c.header('Content-Type', 'text/csv; charset=utf-8');
    c.header('Content-Disposition', `attachment; filename="paths-${id}.csv"`);
    return c.body(toCsv(picture, choosePaths(picture, toFilter(query), query.sort)));
  });
  // Users can also type a name here. The text is sent in the body, so no address, log or history contains it.
  app.post(
    '/networks/:integration/who',
    frame.act('viewer'),
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const client = findIntegration(c, application, c.req.param('integration'));
      const { id } = client;
      const { text } = whoSchema.parse(await readForm(c));
      if (text === '') throw aboutField(invalidRequest('Enter an ID or a name.'), 'text');
      const picture = await pictureOf(id, text);
      const isContact = (await findContacts(store.reader, id, [text])).size > 0;
      if (isContact || isKnown(picture, text)) {
        return c.redirect(`${buildHref(id, querySchema.parse({}), { who: text })}#person`, 303);
      }
      if (!maySeeNames(c)) {
        throw aboutField(invalidRequest('No contact of this client has this ID.'), 'text');
      }
      const input = { integration: id, text };
      const { search } = await perform(world, getCaller(c), findContactsByName, input);
      const { renderSearch } = await import('../contacts/contact-pages.tsx');
      const viewer = frame.getViewer(c.var.principal);
      return c.html(renderSearch(viewer, { client, searched: { text, found: search } }));
    },
  );

  const { add } = createOperationForms(deps, frame, app);
  // A check can cost credits. If it needs more than one query, it warns first. Therefore, the page has a button for the
  // check and not a link.
  add('/networks/:integration/check', checkNetworks, {
    read: () => ({}),
    async answer(c, { integration, networks }) {
      const client = findIntegration(c, application, integration);
      const { id, name = id } = client;
      const known = await describeNetworks({ store }, client);
      const failed = known.reduce((sum, one) => sum + one.failed.length, 0);
      const { renderDrift } = await import('./network-pages.tsx');
      const content = { integration: { id, name }, networks, failed };
      return c.html(renderDrift(frame.getViewer(c.get('principal')), content));
    },
  });

  // This sends one query to the service. The query can cost a credit, and the button says so.
  add('/networks/:integration/prospects', findProspects, {
    read: () => ({ limit: MAX_PROSPECTS }),
    answer: (c, result, input) => sendCsv(c, findProspects, { result, input }),
  });

  app.post('/networks/:integration/repair', frame.act(repairNetworks.role), (c) => {
    const { id } = findIntegration(c, application, c.req.param('integration'));
    const { members } = z
      .object({ members: z.coerce.number().int().min(0).catch(0) })
      .parse(c.req.query());
    repairs.begin(getCaller(c), id, members);
    return c.redirect(`/networks#network_${id}`, 303);
  });
  return app;

  type C = Context<HttpEnv>;

  function pictureOf(id: string, who: string | null) {
    return readShownPicture(ranking, id, who);
  }

  async function namesFor(
    c: C,
    id: string,
    picture: Parameters<typeof listContactIds>[0],
  ): Promise<Names> {
    const ids = listContactIds(picture).slice(0, MAX_NAMES);
    await noteShown(c, id, { people: ids.length });
    return readShownNames(liveDeps(deps, c.var.actor), findIntegration(c, application, id), ids);
  }

  /**
   * Returns the members who know a contact. Users who may see names also get the contact's name and the introduction in
   * the CRM.
   */
  async function personFor(c: C, id: string, who: string, picture: ShownPicture) {
    const person = getShownPerson(picture, who);
    const crmId = person.contact ?? who;
    const isContact = (await findContacts(store.reader, id, [crmId])).size > 0;
    if (!isContact || !maySeeNames(c)) return person;
    const client = findIntegration(c, application, id);
    // The same rules as on the contact's page decide which data is shown.
    const input = { integration: id, contact: crmId };
    const { contact } = await perform(world, getCaller(c), showContact, input);
    const { name, keptBack, sentence, introductions } = contact;
    const shown = { ...person, contact: crmId, name };
    if (keptBack !== null) {
      return { ...shown, memberOf: [], sentences: [], more: 0, keptBack: keptBack.text };
    }
    const all = choosePaths(picture, { weakest: WEAKEST, network: null, who });
    const introduced = all.filter((path) => path.contact !== crmId);
    const paths = introduced.slice(0, MAX_SENTENCES);
    const ids = [...new Set([crmId, ...paths.map((path) => path.contact)])];
    await noteShown(c, id, { people: ids.length }, crmId);
    const names = await readShownNames(liveDeps(deps, c.var.actor), client, ids);
    const others = paths.flatMap((path) => {
      const to = names.get(path.contact);
      return to === undefined ? [] : [pathSentence(path, 1, name ?? 'A member', to)];
    });
    return {
      ...shown,
      sentence,
      sentences: [...introductions.map((one) => one.sentence), ...others],
      more: introduced.length - paths.length,
    };
  }

  async function noteShown(
    c: C,
    integrationId: string,
    details: Record<string, number>,
    crmId: string | null = null,
  ): Promise<void> {
    const { act } = store.actingAs(c.get('actor'));
    await noteEntries(act, [{ action: 'names.shown', integrationId, crmId, details }]);
  }
}

const ROWS = 50;

const whoSchema = z.object({ text: z.string().trim().max(255).catch('') });

function isKnown({ people }: ShownPicture, who: string): boolean {
  return people.some(({ donorId, contacts }) => donorId === who || contacts.includes(who));
}

function maySeeNames(c: Context<HttpEnv>): boolean {
  return mayActAs(c.get('principal').role, 'reader');
}
