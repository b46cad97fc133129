/** Whether all is in order with a client: the map of its fields, and the doctor with what helps. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Integration } from '../../../core/integration-settings.ts';
import { createFields } from '../../../fields/create-fields.ts';
import { readFieldLines } from '../../../fields/field-check.ts';
import { examine } from '../../api/checks-api.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientCheckRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();
  const findClient = (c: Context<HttpEnv>) =>
    findIntegration(c, application, c.req.param('id') ?? '');

  app.get('/clients/:id/fields', frame.see('admin'), async (c) => {
    const integration = findClient(c);
    const lines = await readFieldLines(liveDeps(deps, c.get('actor')), integration);
    const note = c.req.query('note') === 'created' ? 'What was missing was created.' : null;
    const { renderFields } = await import('./fields-page.tsx');
    const isOfFile = application.settings.integrations.some(({ id }) => id === integration.id);
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderFields(viewer, { integration, lines, isOfFile, note, problems: [] }));
  });

  app.post(
    '/clients/:id/fields/create',
    frame.act('admin'),
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const integration = findClient(c);
      const { viewers } = formSchema.parse(await readForm(c));
      const problems = await create(c, integration, viewers);
      const { id } = integration;
      if (problems.length === 0) return c.redirect(`/clients/${id}/fields?note=created`, 303);
      const lines = await readFieldLines(liveDeps(deps, c.get('actor')), integration);
      const { renderFields } = await import('./fields-page.tsx');
      const isOfFile = application.settings.integrations.some((one) => one.id === id);
      const viewer = frame.getViewer(c.var.principal);
      return c.html(renderFields(viewer, { integration, lines, isOfFile, note: null, problems }));
    },
  );

  app.get('/clients/:id/doctor', frame.see('admin'), async (c) => {
    const { renderDoctor } = await import('./doctor-page.tsx');
    return c.html(renderDoctor(frame.getViewer(c.var.principal), findClient(c), null));
  });

  // A button, since it asks many questions; the answer is for this moment and stands nowhere.
  app.post('/clients/:id/doctor', frame.act('admin'), async (c) => {
    const integration = findClient(c);
    const findings = await examine(deps, integration);
    const { renderDoctor } = await import('./doctor-page.tsx');
    return c.html(renderDoctor(frame.getViewer(c.var.principal), integration, findings));
  });
  return app;

  /** What could not be done, in sentences. */
  async function create(
    c: Context<HttpEnv>,
    integration: Integration,
    viewers: string,
  ): Promise<string[]> {
    const { application: acting, signal } = liveDeps(deps, c.get('actor'));
    const open = await acting.open(integration, signal);
    try {
      const done = await createFields(open, { assignViewers: viewers || undefined });
      const failed = done.created.flatMap(({ name, result, problem }) =>
        result === 'failed' ? [`${name}: ${problem ?? 'it could not be created'}`] : [],
      );
      const unseen = done.viewers?.problem ?? null;
      return unseen === null ? failed : [...failed, unseen];
    } finally {
      await open.close();
    }
  }
}

/** The profile whose users are to see the fields. */
const formSchema = z.object({ viewers: z.string().trim().max(100).catch('') });
