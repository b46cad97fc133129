/** Tests the field map and runs the doctor. */
import type { Context, Hono } from 'hono';
import type { Integration } from '../../../core/integration-settings.ts';
import { readFieldCheck } from '../../../fields/field-check.ts';
import { examineClient, toFinding } from '../../../operations/doctor/doctor.ts';
import { createMissingFields, describeFailures } from '../../../operations/fields.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientCheckRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);
  const findClient = (c: Context<HttpEnv>, id: string) => findIntegration(c, application, id);

  app.get('/clients/:id/fields', frame.see('admin'), (c) => {
    const note = c.req.query('note') === 'created' ? 'What was missing was created.' : null;
    return showFields(c, findClient(c, c.req.param('id')), { note, problems: [] });
  });

  add('/clients/:integration/fields/create', createMissingFields, {
    // The CRM profile whose users should see the fields.
    read: ({ viewers }) => (viewers ? { assignViewers: viewers } : {}),
    answer(c, result) {
      const { integration: id } = result;
      const problems = describeFailures({ ...result, findings: [] });
      if (problems.length === 0) return c.redirect(`/clients/${id}/fields?note=created`, 303);
      return showFields(c, findClient(c, id), { note: null, problems });
    },
  });

  app.get('/clients/:id/doctor', frame.see('admin'), async (c) => {
    const { renderDoctor } = await import('./doctor-page.tsx');
    const client = findClient(c, c.req.param('id'));
    return c.html(renderDoctor(frame.getViewer(c.var.principal), client, null));
  });

  // Users start the check with a button, because the check sends many requests. The result is not stored.
  add('/clients/:integration/doctor', examineClient, {
    async answer(c, { findings }, { integration }) {
      const { renderDoctor } = await import('./doctor-page.tsx');
      const viewer = frame.getViewer(c.var.principal);
      return c.html(renderDoctor(viewer, findClient(c, integration), findings.map(toFinding)));
    },
  });
  return app;

  async function showFields(
    c: Context<HttpEnv>,
    integration: Integration,
    more: { note: string | null; problems: readonly string[] },
  ): Promise<Response> {
    const { fields } = await readFieldCheck(liveDeps(deps, c.get('actor')), integration);
    const { renderFields } = await import('./fields-page.tsx');
    const isOfFile = application.settings.integrations.some(({ id }) => id === integration.id);
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderFields(viewer, { integration, lines: fields, isOfFile, ...more }));
  }
}
