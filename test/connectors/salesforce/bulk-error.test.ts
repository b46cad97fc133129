import { describe, expect, it } from 'vitest';
import { bulkFault } from '../../../connectors/salesforce/bulk/bulk-ingest.ts';

describe('what a job says of a record that failed', () => {
  it.each([
    ['STRING_TOO_LONG:Title: data value too large: a:b (max length=128):Title --', ['Title']],
    ['STRING_TOO_LONG:one -- two:Title, Department --', ['Title', 'Department']],
    ['STRING_TOO_LONG:one\ntwo:--', []],
    ['STRING_TOO_LONG:one:Title --STRING_TOO_LONG:two:Department --', ['Title', 'Department']],
    ['STRING_TOO_LONG:one:Title --DUPLICATES_DETECTED:two:Title --', ['Title']],
  ])('is its first code with the fields of all errors (%j)', (cell, fields) => {
    expect(bulkFault(cell)).toMatchObject({ code: 'STRING_TOO_LONG', fields });
  });

  it('is quoted without what belongs to another error', () => {
    const cell =
      'FIELD_CUSTOM_VALIDATION_EXCEPTION:Ask Ann: at once -- or not:Title --' +
      'STRING_TOO_LONG:Title: data value too large: 987654:Title --';
    expect(bulkFault(cell).message).toBe('Ask Ann: at once -- or not');
  });

  it.each(['', 'gibberish', 'no code: of any kind:Title --'])('is unknown if it is %j', (cell) => {
    expect(bulkFault(cell)).toEqual({ code: 'UNKNOWN_EXCEPTION', message: '', fields: [] });
  });
});
