import { writeFile } from 'node:fs/promises';
import { silentLog } from '../../../../core/log.ts';
import { outcomeText } from '../../../../core/outcome.ts';
import type { RunReport } from '../../../../core/run.ts';
import { listRunRows } from '../../../../sync/statements/run-rows.ts';
import { findRunById } from '../../../../sync/statements/runs.ts';
import { type ProductDeps, withApplication, withIntegration } from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import { syncOnce } from '../sync/sync-once.ts';
import { type DemoFolder, listSettings, makeDemoFolder, readRows } from './folder.ts';
import type { RecordStage } from './public-record-stage.ts';
import { serveStatusPage, showStatusPage } from './status-page.ts';

const INTEGRATION = 'public-record';

interface RecordReport {
  folder: string;
  returns: string[];
  people: number;
  run: RunReport;
  contacts: RecordContact[];
}

interface RecordContact {
  id: string;
  name: string;
  explanation: string;
  written: Record<string, string>;
}

/** Imports tax returns, enhances contacts and finds introductions. */
export async function playPublicRecord(
  deps: ProductDeps,
  { once }: { once: boolean },
  output: Output,
): Promise<ExitCode> {
  const stopped = deps.stopSignal();
  // donor-sync itself does not import the service. The demo loads it when it needs it.
  const { setRecordStage } = await import('./public-record-stage.ts');
  const folder = await makeDemoFolder();
  const stage = await setRecordStage(folder.path, {
    clock: deps.clock.now,
    report: (error) => output.note(error.message),
  });
  try {
    await writeFile(folder.contacts, CONTACTS);
    await writeFile(folder.settings, settingsText(stage));
    showStart(output, stage);
    const report = await syncRecord(deps, folder, stage, stopped);
    output.finish(report, () => showRecord(output, report));
    if (report.run.status !== 'succeeded') {
      return stopped.aborted ? EXIT_CODES.stopped : EXIT_CODES.unexpected;
    }
    if (!once) {
      await serveStatusPage(deps, folder.settings, stopped, {
        started: (url) => showStatusPage(output, url),
      });
    }
    return EXIT_CODES.done;
  } finally {
    await stage.close();
  }
}

/**
 * The contact list. The first three people are in the tax returns. The service does not find a contact with only a
 * name, and a name that is in no tax return.
 */
const CONTACTS = `Id,First,Last,Employer,Team
R1,Cornelia,Vandersloot,Lake View Food Bank,Board
R2,Marguerite,Oldenquist,"Lake View Food Bank, Inc.",
R3,Orville,Standishmore,Lake View Food Bank,
R4,Fiona,Tarleton,Tarleton Family Foundation,
R5,Augustin,Tarleton,,
R6,Ottoline,Quillfeather,Lake View Food Bank,
`;

function settingsText({ baseUrl, apiKey }: RecordStage): string {
  return listSettings({
    id: INTEGRATION,
    name: 'Nonprofit with its own service',
    service: { baseUrl, apiKey },
    columns: '        employers: [Employer]',
    rest: `    networks:
      - { name: Board, color: teal, group: { column: Team, equals: Board } }
    fields:
      - { from: capacity.nonprofit, to: Donor Capacity }
      - { from: work.primary, to: Donor Work }
      - { from: bio, to: Donor Biography }
      - { from: warmPath.sentence, to: Warm Path }
`,
  });
}

/** Runs the sync with the real settings, database, connector and client. */
function syncRecord(
  deps: ProductDeps,
  folder: DemoFolder,
  { returns, people }: RecordStage,
  signal: AbortSignal,
): Promise<RecordReport> {
  const quietDeps = { ...deps, log: silentLog };
  return withApplication(quietDeps, folder.settings, async (application) => {
    const [integration] = application.select([INTEGRATION]);
    if (integration === undefined) throw new Error('the settings of the demo lack its integration');
    const run = await withIntegration(
      application,
      integration,
      (open) => syncOnce(quietDeps, open, signal),
      signal,
    );
    const before = await readRows(folder.contacts);
    const after = run.status === 'succeeded' ? await readRows(folder.enhanced) : before;
    const found = await findRunById(application.store.reader, run.id);
    const rows = found
      ? await listRunRows(application.store.reader, found, { limit: before.size })
      : [];
    const reasons = new Map(rows.map(({ crmId, reason }) => [crmId, reason]));
    const contacts = [...before].map(([id, row]) => ({
      id,
      name: `${row['First']} ${row['Last']}`,
      explanation: outcomeText(reasons.get(id) ?? 'submission_pending'),
      written: Object.fromEntries(
        Object.entries(after.get(id) ?? {}).filter(
          ([column, value]) => value !== (row[column] ?? ''),
        ),
      ),
    }));
    return { folder: folder.path, returns, people, run, contacts };
  });
}

function showStart(output: Output, { baseUrl, returns, people }: RecordStage): void {
  output.print(
    `${describeCount(people, 'person', 'people')} were imported from ${describeCount(returns.length, 'tax return')} of fictional organisations: ${returns.join(', ')}`,
  );
  output.print(`They are in a separate Partner Data Service: ${baseUrl}`);
  output.print();
}

function showRecord(output: Output, { contacts, folder }: RecordReport): void {
  for (const { name, explanation, written } of contacts) {
    output.print(`${output.style.strong(name)}: ${explanation}`);
    for (const [column, value] of Object.entries(written)) output.print(`  ${column}: ${value}`);
  }
  output.print();
  output.print(
    `The files stay in ${folder}: the service's database, the contact list, and the enhanced list.`,
  );
}
