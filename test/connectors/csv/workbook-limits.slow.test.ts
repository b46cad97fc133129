/**
 * Tests workbooks from unknown sources. For any content, the process stays responsive, and the error explains the
 * user's next step.
 */
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { readWorkbook } from '../../../connectors/csv/sources/workbook.ts';
import type { ThreadLimits } from '../../../src/core/ask-thread.ts';
import { aWorkbook, zip } from '../../helpers/a-workbook.ts';
import { leastCpuTimeMs } from '../../helpers/cpu-time.ts';

const WHAT_TO_DO = /donors\.xlsx cannot be used: it is too large.*save the sheet as "CSV UTF-8"/;
/**
 * This thread may work at most this time (ms). A worker reads the workbook, so the timers of this thread continue to
 * run.
 */
const MOST_WORK_MS = 500;
const TIMEOUT_MS = 120_000;
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Creates a sheet of about a hundred kilobytes that unpacks to hundreds of megabytes. */
function aBomb(bytes: number): Buffer {
  const packages = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${packages}"><Relationship Id="rId1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${' '.repeat(bytes)}`,
  });
}

/** Starts to measure the memory. The returned function stops the measurement and returns the growth in bytes. */
function watchMemory(): () => number {
  let most = 0;
  const before = process.memoryUsage.rss();
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before);
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return () => most;
}

/**
 * Expects that a worker refuses the workbook while this thread does little work. The measured work excludes the time
 * for garbage collection of other data.
 */
async function expectRefusedElsewhere(bytes: Buffer, limits?: ThreadLimits): Promise<void> {
  const refuse = () =>
    expect(readWorkbook('donors.xlsx', bytes, null, limits)).rejects.toThrow(WHAT_TO_DO);
  expect(await leastCpuTimeMs(MOST_WORK_MS, refuse)).toBeLessThan(MOST_WORK_MS);
}

it('the reader refuses an archive that unpacks to too much data, before it uses much memory', {
  timeout: TIMEOUT_MS,
}, async () => {
  const bytes = aBomb(300_000_000);
  expect(bytes.length).toBeLessThan(1_000_000);
  const memory = watchMemory();
  await expectRefusedElsewhere(bytes);
  expect(memory()).toBeLessThan(250_000_000);
});

it('the reader refuses an archive that unpacks to too much data but states a small size', {
  timeout: TIMEOUT_MS,
}, async () => {
  const bytes = aBomb(300_000_000);
  // The size in the directory's last entry differs from the actual size.
  const entry = bytes.lastIndexOf(Buffer.from('PK\x01\x02'));
  bytes.writeUInt32LE(100, entry + 24);
  await expect(readWorkbook('donors.xlsx', bytes, null)).rejects.toThrow(WHAT_TO_DO);
});

it('ends a reader that takes too long, and reads on meanwhile', {
  timeout: TIMEOUT_MS,
}, async () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => [{ number: at }, `Person ${at}`]);
  const bytes = aWorkbook({ Donors: [['Id', 'Name'], ...rows] });
  const started = performance.now();
  await expectRefusedElsewhere(bytes, { mostTimeMs: 300, mostMemoryMb: 1_024 });
  expect(performance.now() - started).toBeLessThan(30_000);
});

it('ends a reader of two million cells that needs too much memory', {
  timeout: TIMEOUT_MS,
}, async () => {
  const cells = Array.from({ length: 20 }, (_, at) => ({ number: at }));
  const bytes = aWorkbook({
    Donors: [['Id', 'Name'], ...Array.from({ length: 100_000 }, () => cells)],
  });
  await expectRefusedElsewhere(bytes, { mostTimeMs: TIMEOUT_MS, mostMemoryMb: 64 });
  // The process is still running and can start a further thread.
  const other = new Worker('', { eval: true });
  await new Promise((resolve) => other.once('exit', resolve));
});
