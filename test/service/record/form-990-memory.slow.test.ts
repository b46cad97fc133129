import { describe, expect, it } from 'vitest';
import { form990 } from './form-990-file.ts';
import { openImporting } from './importing.ts';

describe('importing a large return', () => {
  it('never holds it whole: 200 MB of XML take less than 100 MB more than 1 MB does', async () => {
    const importing = openImporting();
    const people = [{ name: 'MARGUERITE OLDENQUIST', title: 'CHAIR' }];
    const text = 'word '.repeat(2_000);
    const note = `<SupplementalInformationDetail><ExplanationTxt>${text}</ExplanationTxt></SupplementalInformationDetail>\n`;
    // The test writes the two files first, so that it does not measure the writing.
    const [small = '', large = ''] = [100, 20_000].map((notes) =>
      importing.file(`${notes}.xml`, form990({ form: '990', people, more: note.repeat(notes) })),
    );
    await importing.import({ kind: '990', paths: [small] });
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 10);
    const report = await importing.import({ kind: '990', paths: [large] });
    clearInterval(watch);
    expect(report).toMatchObject({ people: 1, changed: 0 });
    // If the work had not been interrupted, there would have been no time to measure.
    expect(most).toBeGreaterThan(0);
    expect(most - before).toBeLessThan(100_000_000);
  });
});
