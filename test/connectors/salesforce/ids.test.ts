import { describe, expect, it } from 'vitest';
import { longId } from '../../../connectors/salesforce/ids.ts';

describe('longId', () => {
  it.each([
    ['001A0000006Vm9r', '001A0000006Vm9rIAC'],
    ['001A0000006Vm9rIAC', '001A0000006Vm9rIAC'],
    ['001ABCDEFGHIJKL', '001ABCDEFGHIJKLY55'],
  ])('makes of %s the form that does not depend on letter case', (text, id) => {
    expect(longId(text, '001')).toBe(id);
  });

  it.each(['', '001', '003A0000006Vm9r', '001A0000006Vm9rIA', "001A0000006Vm9'"])(
    'takes "%s" for no id of an account',
    (text) => {
      expect(longId(text, '001')).toBeNull();
    },
  );
});
