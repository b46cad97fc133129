/** The routes that start, change and discard set-ups. Another route redirects to the CRM's consent page. */
import type { Hono } from 'hono';
import { findRemoteCrm } from '../../../../connectors/index.ts';
import {
  beginChange,
  beginSetup,
  dropSetup,
  findSetup,
  listSetups,
} from '../../../clients/setup/draft.ts';
import { ofTheFile } from '../../../clients/setup/finish.ts';
import { missingText } from '../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { nextStep } from '../../../clients/setup/steps.ts';
import { isUpload } from '../../../clients/setup/uploads.ts';
import {
  allClientsOnly,
  filterAccessible,
  listAccessible,
} from '../../api/request/client-access.ts';
import type { HttpEnv } from '../../api/request/context.ts';
import { HttpError } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES } from '../../api/request/guards.ts';
import { getSignIn } from './crm-form.ts';
import { one } from './form-values.ts';
import { requireAnswer } from './forms.ts';
import {
  getNote,
  MAX_NAME_LENGTH,
  readForm,
  requireId,
  setupByUsers,
  unknown,
  type WizardContext,
} from './set-up-context.ts';

export function addStartRoutes(app: Hono<HttpEnv>, context: WizardContext): void {
  const { deps, frame, ofFile, acting, requireSetup } = context;
  const { application } = deps;
  const { settings } = application;

  app.get('/setup', frame.see('admin'), async (c) => {
    const setups = filterAccessible(c, await listSetups(application), ({ id }) => id);
    const find = (c.req.query('find') ?? '').trim().slice(0, MAX_NAME_LENGTH);
    const found = [...listAccessible(c, application).values()].filter(({ id, name = id }) =>
      `${id} ${name}`.toLowerCase().includes(find.toLowerCase()),
    );
    const integrations = found.slice(0, MOST_LISTED);
    const { renderStart } = await import('./setup-pages.tsx');
    return c.html(
      renderStart(frame.getViewer(c.var.principal), {
        setups,
        find,
        more: found.length - integrations.length,
        integrations: integrations.map((each) => ({
          id: each.id,
          name: each.name ?? each.id,
          kind: each.crm.kind,
          isOfFile: ofFile.has(each.id),
        })),
        note: getNote(c),
      }),
    );
  });

  app.post(
    '/setup',
    frame.act('admin'),
    allClientsOnly,
    setupByUsers,
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const typed = one(await readForm(c), 'name');
      if (typed === '') {
        throw new HttpError(422, 'name_missing', `${missingText(QUESTIONS.name)}.`);
      }
      const name = requireAnswer(QUESTIONS.name, typed, 'name');
      const id = await beginSetup(acting(c), name);
      return c.redirect(`/setup/${id}/crm`, 303);
    },
  );

  app.get('/setup/:id', frame.see('admin'), async (c) => {
    const id = requireId(c);
    const setup = await findSetup(application, id);
    if (setup !== null) return c.redirect(`/setup/${id}/${nextStep(setup)}`, 303);
    const integration = application.integrations.get(id);
    if (integration === undefined) throw unknown(id);
    const { renderPresent } = await import('./setup-pages.tsx');
    const results = integration.crm['output'] ?? integration.crm['path'];
    return c.html(
      renderPresent(frame.getViewer(c.var.principal), {
        integration,
        isOfFile: ofFile.has(id),
        hasResults: integration.crm.kind === 'csv' && isUpload(settings, results),
        note: getNote(c),
      }),
    );
  });

  app.post('/setup/:id/change', frame.act('admin'), setupByUsers, async (c) => {
    const id = requireId(c);
    const integration = application.integrations.get(id);
    if (integration === undefined) throw unknown(id);
    if (ofFile.has(id)) throw ofTheFile(id);
    await beginChange(acting(c), integration);
    return c.redirect(`/setup/${id}/schedule`, 303);
  });

  app.post('/setup/:id/drop', frame.act('admin'), setupByUsers, async (c) => {
    const { id } = await requireSetup(c);
    await dropSetup(acting(c), id);
    return c.redirect('/setup?note=dropped', 303);
  });

  /** A form must not redirect to a different site. Therefore, one of donor-sync's own pages redirects. */
  app.get('/setup/:id/leave', frame.see('admin'), async (c) => {
    const setup = await requireSetup(c);
    const { kind } = getSignIn(setup);
    const about = findRemoteCrm(kind);
    if (about === undefined) return c.redirect(`/setup/${setup.id}/crm`, 303);
    const { renderLeave } = await import('./setup-pages.tsx');
    const href = `/oauth/${about.kind}/start?integration=${setup.id}`;
    return c.html(renderLeave(frame.getViewer(c.var.principal), { crm: about.name, href }));
  });
}

/** The maximum number of clients on the first page. Users can search for all other clients. */
const MOST_LISTED = 200;
