import { describe, expect, it } from 'vitest';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { longId } from '../../../connectors/salesforce/ids.ts';

describe('longId', () => {
  it.each([
    ['001A0000006Vm9r', '001A0000006Vm9rIAC'],
    ['001A0000006Vm9rIAC', '001A0000006Vm9rIAC'],
    ['001ABCDEFGHIJKL', '001ABCDEFGHIJKLY55'],
  ])('makes of %s the form that does not depend on letter case', (text, id) => {
    expect(longId(text, '001')).toBe(id);
  });

  it('restores the letters of a report whose id was made small', () => {
    expect(longId('00o000000000099eaa', '00O')).toBe('00O000000000099EAA');
  });

  it.each(['', '001', '003A0000006Vm9r', '001A0000006Vm9rIA', "001A0000006Vm9'"])(
    'takes "%s" for no id of an account',
    (text) => {
      expect(longId(text, '001')).toBeNull();
    },
  );
});

describe('the canonical id of a contact', () => {
  const SHORT = '003Hs00000AbCdE';
  const ID = '003Hs00000AbCdEIAV';

  it.each([
    ['15 characters', SHORT],
    ['18 characters', ID],
    ['white space around it', ` ${ID}\n`],
    ['its check part in small letters', `${SHORT}iav`],
    ['all letters made small', ID.toLowerCase()],
    ['all letters made capital', ID.toUpperCase()],
  ])('is the same from %s', (_, text) => {
    expect(salesforceConnector.canonicalId?.(text)).toBe(ID);
  });

  it('tells ids of 15 characters apart by their case alone', () => {
    const small = salesforceConnector.canonicalId?.('003Hs00000abcde');
    const capital = salesforceConnector.canonicalId?.('003Hs00000ABCDE');
    expect(new Set([small, capital, ID]).size).toBe(3);
  });

  it.each([
    ['no id', '12345'],
    ['an email address', 'maria@example.org'],
    ['the id of an account, also that of a person', '001Hs00000AbCdEIAV'],
    ['16 characters', `${SHORT}I`],
    ['a wrong check part: one of the two was mistyped', `${SHORT}AAA`],
    ['mixed letters that its check part contradicts', '003Hs00000aBcDeIAV'],
    ['a check part that makes a digit a capital', '003hs00000abcde555'],
    ['a check part of letters that none has', '003hs00000abcde999'],
    ['nothing', ''],
  ])('is none for %s', (_, text) => {
    expect(salesforceConnector.canonicalId?.(text)).toBeNull();
  });
});
