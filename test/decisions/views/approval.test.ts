import { describe, expect, it } from 'vitest';
import { describeRequest } from '../../../src/decisions/views/approval.ts';

const FORGET = { what: 'forget', alsoInCrm: false, blockUnknown: false, everywhere: true } as const;

describe('the sentence of an approval', () => {
  it('names no contact where none may be named', () => {
    const about = { request: FORGET, integrations: ['riverside'], contacts: 1, credits: 0 };
    expect(describeRequest({ ...about, crmId: null })).toBe(
      'Erase a contact from "riverside" permanently.',
    );
    expect(describeRequest({ ...about, crmId: 'c-1' })).toBe(
      'Erase the contact c-1 from "riverside" permanently.',
    );
  });
});
