/**
 * Networks: the status of each client's networks, and who in them can introduce which contact. All data is from the
 * store.
 */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { readIntroduction, readNames } from '../../../clients/live-crm.ts';
import { mayActAs } from '../../../core/role.ts';
import { choosePaths, readPicture, WEAKEST } from '../../../networks/network-picture.ts';
import { describeNetworks } from '../../../networks/overview.ts';
import { checkNetworks, repairNetworks } from '../../../operations/networks.ts';
import { findProspects, MAX_PROSPECTS } from '../../../operations/paths.ts';
import { countPaths } from '../../../paths/statements/warm-paths.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { sendCsv } from '../../api/operation-routes.ts';
import { getCaller } from '../../api/request/caller.ts';
import { findIntegration, listAccessible } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { toCsv } from './csv.ts';
import {
  getShownPerson,
  listContactIds,
  MAX_SENTENCES,
  type Names,
  pictureData,
} from './picture.ts';
import { querySchema, toFilter } from './query.ts';
import { createRepairs } from './repairs.ts';

/** Number of clients on one page. */
const PAGE = 20;

/** Maximum number of names that one page requests from the CRM: those of the strongest paths. */
const MAX_NAMES = 400;

export function networkPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const { store } = application;
  const app = frame.room();
  const repairs = createRepairs(deps);

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
        paths: await countPaths(store.reader, integration.id),
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
    const picture = await readPicture(store.reader, id, query.who);
    const paths = choosePaths(picture, toFilter(query), query.sort);
    const from = Math.min(query.from, Math.max(0, paths.length - 1));
    const rows = paths.slice(from, from + ROWS);
    const withNames = query.names && maySeeNames(c);
    const wanted = { ...picture, paths: rows };
    const names = withNames ? await namesFor(c, id, wanted) : null;
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
        count: paths.length,
        size: ROWS,
      }),
    );
  });

  /** The picture, for the script of the page. It is never cached, because it may contain names. */
  app.get('/networks/:id/picture', frame.see('viewer'), async (c) => {
    const { id } = findIntegration(c, application, c.req.param('id'));
    const query = querySchema.parse(c.req.query());
    const picture = await readPicture(store.reader, id, query.who);
    const names = query.names && maySeeNames(c) ? await namesFor(c, id, picture) : null;
    c.header('Cache-Control', 'no-store');
    return c.json(pictureData(picture, names));
  });

  app.get('/networks/:id/paths.csv', frame.see('viewer'), async (c) => {
    const { id } = findIntegration(c, application, c.req.param('id'));
    const query = querySchema.parse(c.req.query());
    const picture = await readPicture(store.reader, id, query.who);
    c.header('Cache-Control', 'no-store');
    c.header('Content-Type', 'text/csv; charset=utf-8');
    c.header('Content-Disposition', `attachment; filename="paths-${id}.csv"`);
    return c.body(toCsv(picture, choosePaths(picture, toFilter(query), query.sort)));
  });
  const { add } = createOperationForms(deps, frame, app);
  // A check can cost credits, and warns before it sends more than one query, so it is a button and not a link.
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

  // This queries the service once, which can cost a credit, as the button says.
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

  async function namesFor(
    c: C,
    id: string,
    picture: Parameters<typeof listContactIds>[0],
  ): Promise<Names> {
    const ids = listContactIds(picture).slice(0, MAX_NAMES);
    await noteShown(c, id, { people: ids.length });
    return readNames(liveDeps(deps, c.get('actor')), findIntegration(c, application, id), ids);
  }

  /** Who knows a contact, with the name and the introduction from the CRM for users who may see them. */
  async function personFor(
    c: C,
    id: string,
    who: string,
    picture: Awaited<ReturnType<typeof readPicture>>,
  ) {
    const person = getShownPerson(picture, who);
    if (person.contact === null || !maySeeNames(c)) return person;
    const integration = findIntegration(c, application, id);
    const paths = choosePaths(picture, { weakest: WEAKEST, network: null, who });
    const shown = { ...picture, paths: paths.slice(0, MAX_SENTENCES) };
    const ids = [...new Set([person.contact, ...listContactIds(shown)])];
    await noteShown(c, id, { people: ids.length }, person.contact);
    const named = await readNames(liveDeps(deps, c.get('actor')), integration, ids);
    const live = await readIntroduction(
      liveDeps(deps, c.get('actor')),
      integration,
      person.contact,
    );
    return { ...getShownPerson(picture, who, named), ...live };
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

/** Number of rows of the list on one page. */
const ROWS = 50;

function maySeeNames(c: Context<HttpEnv>): boolean {
  return mayActAs(c.get('principal').role, 'reader');
}
