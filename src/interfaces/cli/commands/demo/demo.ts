import { type Command, Option } from 'commander';
import { z } from 'zod';
import { silentLog } from '../../../../core/log.ts';
import { listOpenQuestions } from '../../../../decisions/statements/questions.ts';
import { createCommand, runAction } from '../../action/command.ts';
import { type ProductDeps, withApplication, withIntegration } from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { wholeNumber } from '../sandbox/stand-in.ts';
import { syncOnce } from '../sync/sync-once.ts';
import { DEMO_CRMS, findDemoCrms, toShownFields } from './crms.ts';
import { createDemoFolder, crmIntegration, DEMO_INTEGRATION, type DemoFolder } from './folder.ts';
import { type CrmResult, type DemoCrm, readResults, syncCrm } from './results.ts';
import { type DemoReport, showNextSteps, showReport, showStart } from './show.ts';
import type { Stage } from './stage.ts';
import { serveStatusPage } from './status-page.ts';
import { buildTour, showTour } from './tour.ts';

/** A CRM that the demo shows only if the user names it. */
const OTHER = DEMO_CRMS.find(({ isUsual }) => !isUsual);

const EXAMPLES = `
Examples:
  donor-sync demo            sync, then serve the pages and keep the stand-ins running
  donor-sync demo --tour     a tour of six pages, in three minutes
  donor-sync demo --once     sync and end
  donor-sync demo --crm ${OTHER?.kind}   with a ${OTHER?.place} instead of the usual CRMs
  donor-sync demo --public-record   import tax returns into a separate service, and sync with it

Nothing leaves this machine: the service and the CRMs are local stand-ins with fictional people. The files
stay in a temporary folder, so that you can look at them.`;

/**
 * The number of contacts. With fewer contacts, there is no space for the examples. With more contacts, the demo takes
 * too long.
 */
const CONTACTS = { least: 8, most: 2_000, usual: 40 };

const DEMO_PLACES = new Intl.ListFormat('en-GB').format([
  'contact list',
  ...findDemoCrms([]).map(({ place }) => place),
]);

const flagsSchema = z.object({
  once: z.boolean().default(false),
  tour: z.boolean().default(false),
  publicRecord: z.boolean().default(false),
  contacts: z.number(),
  crm: z.array(z.string()).default([]),
});

export function demoCommand(deps: ProductDeps): Command {
  const command = createCommand('demo', deps)
    .description(`try donor-sync: sync a fictional ${DEMO_PLACES}`)
    .option('--once', 'end after the syncs instead of keeping the stand-ins running')
    .addOption(
      new Option('--tour', 'only show which pages to visit').conflicts(['once', 'publicRecord']),
    )
    .option(
      '--contacts <n>',
      `how many contacts the list has, ${CONTACTS.least} to ${CONTACTS.most}`,
      wholeNumber(CONTACTS.least, CONTACTS.most),
      CONTACTS.usual,
    )
    .addOption(
      new Option('--crm <kind...>', 'the CRMs to show instead of the usual ones')
        .choices(DEMO_CRMS.map(({ kind }) => kind))
        .conflicts('publicRecord'),
    )
    .option(
      '--public-record',
      'use people from sample tax returns instead, served by a separate service',
    )
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const flags = flagsSchema.parse(command.opts());
      if (!flags.publicRecord) return playDemo(deps, flags, output);
      const { playPublicRecord } = await import('./public-record.ts');
      return playPublicRecord(deps, flags, output);
    }),
  );
}

async function playDemo(
  deps: ProductDeps,
  { once, tour, contacts, crm }: z.infer<typeof flagsSchema>,
  output: Output,
): Promise<ExitCode> {
  const stopped = deps.stopSignal();
  // donor-sync itself does not import the sandboxes. The demo loads them when it needs them.
  const { setStage } = await import('./stage.ts');
  const stage = await setStage(contacts, findDemoCrms(crm));
  try {
    const folder = await createDemoFolder(stage.contacts, stage);
    showStart(output, stage, folder);
    const report = await runSyncs(deps, stage, folder, stopped);
    const runs = [...report.runs, ...report.crms.flatMap((act) => act.runs)];
    const isDone = runs.every(({ status }) => status === 'succeeded');
    // If a tour follows, the contacts are printed only if the tour cannot start.
    output.finish(report, () => {
      if (!tour || !isDone) showReport(output, report);
    });
    if (!isDone) return stopped.aborted ? EXIT_CODES.stopped : EXIT_CODES.unexpected;
    if (once) return EXIT_CODES.done;
    await serveStatusPage(deps, folder.settings, stopped, {
      serviceUrl: stage.baseUrl,
      async started(url, { store }) {
        const [hold] = await listOpenQuestions(store.reader, DEMO_INTEGRATION, 'contact');
        if (!tour) output.print();
        showTour(output, url, buildTour(report, hold?.id ?? null));
        if (tour) output.print('\nPress Ctrl-C to stop.');
        else showNextSteps(output, deps.env, report);
      },
    });
    return EXIT_CODES.done;
  } finally {
    await stage.close();
  }
}

/** Runs the syncs with the real settings, database, connector and client. */
function runSyncs(
  deps: ProductDeps,
  { baseUrl, apiKey, rootUrl, contacts, crms }: Stage,
  folder: DemoFolder,
  signal: AbortSignal,
): Promise<DemoReport> {
  // Log lines would confuse the demo's users.
  const quietDeps = { ...deps, log: silentLog };
  return withApplication(quietDeps, folder.settings, async (application) => {
    const [integration] = application.select([DEMO_INTEGRATION]);
    if (integration === undefined) throw new Error('the settings of the demo lack its integration');
    const sync = () =>
      withIntegration(
        application,
        integration,
        (open) => syncOnce(quietDeps, open, signal),
        signal,
      );
    const partner = { baseUrl, apiKey, rootUrl };
    const places = { folder, partner };
    const first = await sync();
    if (first.status !== 'succeeded') return { ...places, runs: [first], contacts: [], crms: [] };
    const results = await readResults(application, first.id, contacts, folder);
    const second = await sync();
    const crmResults: CrmResult[] = [];
    for (const crm of await listDemoCrms(crms, deps)) {
      crmResults.push(
        await syncCrm(application, crm, signal, (open) => syncOnce(quietDeps, open, signal)),
      );
    }
    return { ...places, runs: [first, second], contacts: results, crms: crmResults };
  });
}

async function listDemoCrms(
  crms: Stage['crms'],
  { findConnectorDefinition }: Pick<ProductDeps, 'findConnectorDefinition'>,
): Promise<DemoCrm[]> {
  const found = crms.map(async ({ crm: { kind, place }, baseUrl }) => ({
    kind,
    name: place,
    integration: crmIntegration(kind),
    baseUrl,
    ...toShownFields((await findConnectorDefinition(kind)).defaultFields),
  }));
  return Promise.all(found);
}
