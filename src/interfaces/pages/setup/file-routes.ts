/** Handles the upload of a CSV file, its preview, and the download of the result file. */
import { readFile } from 'node:fs/promises';
import type { Hono, MiddlewareHandler } from 'hono';
import {
  type Draft,
  dropReplacedUpload,
  type Setup,
  saveSetup,
} from '../../../clients/setup/draft.ts';
import { PREVIEW_BYTES, previewFile } from '../../../clients/setup/dropped-file.ts';
import { withStep } from '../../../clients/setup/steps.ts';
import { isUpload, MAX_UPLOAD_BYTES, takeUpload } from '../../../clients/setup/uploads.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { HttpEnv } from '../../api/request/context.ts';
import { HttpError, nothingHere } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, tooLarge } from '../../api/request/guards.ts';
import { cleared, requireSameKind } from './crm-form.ts';
import { answerMissing, one } from './form-values.ts';
import {
  MAX_NAME_LENGTH,
  readForm,
  requireId,
  setupByUsers,
  type WizardContext,
} from './set-up-context.ts';

/** The size limit of a form with a file. The limit includes space for the form's other fields. */
const limitUpload = limitBody(MAX_UPLOAD_BYTES + MAX_API_BODY_BYTES);

/** Refuses a larger file before reading it. */
const limitFile: MiddlewareHandler<HttpEnv> = async (c, next) => {
  try {
    return await limitUpload(c, next);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 413) throw error;
    const next =
      ' Ask the administrator of this machine to put a larger file there, and to name it in donor-sync.yaml.';
    throw tooLarge('A file', '20 MB', next);
  }
};

export function addFileRoutes(app: Hono<HttpEnv>, context: WizardContext): void {
  const { deps, frame, noteNames, requireSetup, conflict, refused } = context;
  const { application } = deps;
  const { settings } = application;

  app.post('/setup/:id/file', frame.act('admin'), setupByUsers, limitFile, async (c) => {
    const setup = await requireSetup(c);
    try {
      const form = await readForm(c);
      const { file } = form;
      if (!(file instanceof File) || file.size === 0) throw noFile();
      requireSameKind(setup, 'csv');
      const content = new Uint8Array(await file.arrayBuffer());
      const sheet = one(form, 'sheet') || null;
      const answers = await fileAnswers(setup, { content, name: file.name, sheet });
      const saved = await saveSetup(application, setup, answers);
      // Deletes the previous file, or the new file if the new file could not be saved.
      await dropReplacedUpload(application, saved ? setup : answers, saved ? answers : setup);
      if (!saved) return await conflict(c, 'crm');
      const hasKey = setup.done.includes('key');
      const next = hasKey ? 'people?note=file' : 'key?note=fileFirst';
      return c.redirect(`/setup/${setup.id}/${next}`, 303);
    } catch (error) {
      return refused(c, setup, 'crm', error);
    }
  });

  /** Previews how donor-sync would read a file. The file is not stored. */
  app.post(
    '/setup/:id/preview',
    frame.act('admin'),
    setupByUsers,
    limitBody(PREVIEW_BYTES),
    async (c) => {
      await requireSetup(c);
      const preview = await previewFile(Buffer.from(await c.req.arrayBuffer()));
      const { renderPreview } = await import('./setup-pages.tsx');
      c.header('Cache-Control', 'no-store');
      return c.html(await renderPreview(preview));
    },
  );

  app.get('/setup/:id/results', frame.see('admin'), async (c) => {
    const integration = application.integrations.get(requireId(c));
    const file = integration?.crm['output'] ?? integration?.crm['path'];
    if (!isUpload(settings, file)) throw nothingHere('There are no results here.');
    await noteNames(c, requireId(c));
    const content = await readFile(file).catch(() => null);
    if (content === null) {
      throw nothingHere('No results have been written yet. The first run writes them.');
    }
    c.header('Content-Disposition', `attachment; filename="${requireId(c)}-results.csv"`);
    c.header('Content-Type', 'text/csv; charset=utf-8');
    return c.body(content);
  });

  async function fileAnswers(
    setup: Setup,
    { content, name, sheet }: { content: Uint8Array; name: string; sheet: string | null },
  ): Promise<Partial<Draft>> {
    const { answers, stored } = setup;
    const before = answers.crm?.kind === 'csv' ? answers.crm : null;
    const path = before?.['path'];
    // The path of the file identifies the account to which the stored data about the contacts belongs.
    const isPinned = stored !== null && before !== null;
    if (isPinned && !isUpload(settings, path)) throw notOurs();
    const replaced = isPinned && isUpload(settings, path) ? path : null;
    const upload = await takeUpload(settings, content, { replaced, sheet });
    const { header, guess } = upload;
    const names =
      guess.fullName === null
        ? { firstName: guess.firstName ?? undefined, lastName: guess.lastName ?? undefined }
        : { fullName: guess.fullName };
    const { addresses, employers } = guess;
    const columns = { id: guess.id ?? undefined, ...names, addresses, employers };
    const crm = {
      kind: 'csv',
      path: upload.path,
      output: upload.output,
      encoding: header.encoding,
      columns,
    };
    const marks = {
      optOutField: guess.optOut,
      deceasedField: guess.deceased,
      doNotContactField: guess.doNotContact,
    };
    const others = cleared(answers, 'csv');
    const kept = isPinned ? { ...others, crm: { ...before, encoding: header.encoding } } : null;
    const fresh = { ...others, crm, contacts: { ...others.contacts, ...marks } };
    const done = setup.done.filter((step) => step !== 'people' && step !== 'crm');
    return {
      answers: kept ?? fresh,
      account: null,
      fileName: name.slice(0, MAX_NAME_LENGTH),
      done: withStep(isPinned ? setup.done : done, 'crm'),
    };
  }
}

function noFile(): ConfigurationError {
  return answerMissing('Choose a CSV file first.');
}

function notOurs(): ConfigurationError {
  return new ConfigurationError(
    "The operator named this client's file in donor-sync.yaml, so its contents can be replaced only on the machine itself.",
    { code: 'setup_path_refused' },
  );
}
