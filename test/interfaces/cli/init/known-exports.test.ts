import { describe, expect, it } from 'vitest';
import { type ColumnGuess, guessColumns } from '../../../../src/clients/setup/csv-columns.ts';

/** Headers of the vendors' exports, with the correct columns. */
const EXPORTS: Record<string, { header: string; expected: Partial<ColumnGuess> }> = {
  "Raiser's Edge": {
    header:
      'CnBio_ID,CnBio_Title_1,CnBio_First_Name,CnBio_Last_Name,CnBio_Org_Name,CnBio_Gender,CnAdrPrf_Addrline1,CnAdrPrf_Addrline2,CnAdrPrf_City,CnAdrPrf_State,CnAdrPrf_ZIP,CnAdrPrf_ContryLongDsc,CnPh_1_01_Phone_number,CnSpSpBio_First_Name',
    expected: {
      ...{ id: 'CnBio_ID', firstName: 'CnBio_First_Name', lastName: 'CnBio_Last_Name' },
      addresses: [
        ...['CnAdrPrf_Addrline1', 'CnAdrPrf_Addrline2', 'CnAdrPrf_City', 'CnAdrPrf_State'],
        ...['CnAdrPrf_ZIP', 'CnAdrPrf_ContryLongDsc'],
      ],
      employers: [],
    },
  },
  Bloomerang: {
    header:
      'Account Number,Account Status,Birthdate,Communication Restrictions,Employer,Envelope Name,First Name,Formal Name,Gender,Groups,Household Name,Informal Name,Job Title,Last Name,Middle Name,Primary Street,Primary City,Primary State,Primary ZIP Code,Primary Country',
    expected: {
      ...{ id: 'Account Number', firstName: 'First Name', lastName: 'Last Name' },
      addresses: [
        ...['Primary Street', 'Primary City', 'Primary State', 'Primary ZIP Code'],
        'Primary Country',
      ],
      ...{ employers: ['Employer'], optOut: null, deceased: null },
      advice: expect.stringContaining('[Deceased]'),
    },
  },
  DonorPerfect: {
    header:
      'donor_id,first_name,last_name,middle_name,suffix,title,salutation,prof_title,opt_line,address,address2,city,state,zip,country,address_type,home_phone,business_phone,fax_phone,mobile_phone,org_rec,donor_type,nomail,nomail_reason,no_email,narrative',
    expected: {
      ...{ id: 'donor_id', firstName: 'first_name', lastName: 'last_name' },
      addresses: ['address', 'address2', 'city', 'state', 'zip', 'country'],
      ...{ employers: [], optOut: null, doNotContact: null },
    },
  },
  'Little Green Light': {
    header:
      'LGL Constituent ID,External Constituent ID,Constituent Type,First Name,Last Name,Full Name,Organization Name,Preferred Email,Pref. Phone,Pref. Street,Pref. City,Pref. State/Province,Pref. Zip/Postal Code,Pref. Country,Spouse Name',
    expected: {
      ...{ id: 'LGL Constituent ID', firstName: 'First Name', lastName: 'Last Name' },
      fullName: null,
      addresses: [
        ...['Pref. Street', 'Pref. City', 'Pref. State/Province', 'Pref. Zip/Postal Code'],
        'Pref. Country',
      ],
      employers: [],
    },
  },
  'Neon CRM': {
    header:
      'Account ID,Full Name (F),First Name,Last Name,Company Name,Email 1,Address Line 1,Address Line 2,City,State/Province,Zip Code,Country,Phone 1 Full Number (F),Deceased,Do Not Contact,Interests (C)',
    expected: {
      ...{ id: 'Account ID', firstName: 'First Name', lastName: 'Last Name' },
      addresses: [
        ...['Address Line 1', 'Address Line 2', 'City', 'State/Province', 'Zip Code', 'Country'],
      ],
      ...{ employers: ['Company Name'], deceased: 'Deceased', doNotContact: 'Do Not Contact' },
    },
  },
  HubSpot: {
    header:
      'Record ID,First Name,Last Name,Email,Phone Number,Job Title,Company Name,Contact owner,Lead Status,Create Date,Associated Company,Street Address,City,State/Region,Postal Code,Country/Region',
    expected: {
      ...{ id: 'Record ID', firstName: 'First Name', lastName: 'Last Name' },
      addresses: ['Street Address', 'City', 'State/Region', 'Postal Code', 'Country/Region'],
      employers: ['Company Name', 'Associated Company'],
    },
  },
  'a Salesforce report': {
    header:
      'Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,Mailing Zip/Postal Code,Mailing Country,Phone,Mobile,Email,Contact ID,Account Owner',
    expected: {
      ...{ id: 'Contact ID', firstName: 'First Name', lastName: 'Last Name' },
      addresses: [
        ...['Mailing Street', 'Mailing City', 'Mailing State/Province'],
        ...['Mailing Zip/Postal Code', 'Mailing Country'],
      ],
      employers: [],
    },
  },
  Mailchimp: {
    header:
      'Email Address,First Name,Last Name,Address,Phone Number,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS',
    expected: {
      ...{ id: 'LEID', firstName: 'First Name', lastName: 'Last Name', addresses: ['Address'] },
      ...{ employers: [], optOut: null },
    },
  },
  CiviCRM: {
    header:
      'Contact ID,Contact Type,Contact Subtype,Do Not Email,Do Not Phone,Do Not Mail,Do Not Sms,Do Not Trade,No Bulk Emails (User Opt Out),Legal Identifier,External Identifier,Sort Name,Display Name,Nickname,First Name,Middle Name,Last Name,Individual Prefix,Individual Suffix,Formal Title,Job Title,Gender,Birth Date,Deceased,Deceased Date,Household Name,Organization Name,Current Employer,Location Type,Street Address,Street Number,Street Name,Street Unit,Supplemental Address 1,Supplemental Address 2,Supplemental Address 3,City,Postal Code Suffix,Postal Code,State,Country,Phone,Email,On Hold,Group(s),Tag(s),Note(s)',
    expected: {
      ...{ id: 'Contact ID', firstName: 'First Name', lastName: 'Last Name', fullName: null },
      addresses: [
        ...['Street Address', 'Supplemental Address 1', 'Supplemental Address 2'],
        ...['City', 'State', 'Postal Code', 'Country'],
      ],
      ...{ employers: ['Current Employer'], optOut: 'Do Not Trade', deceased: 'Deceased' },
    },
  },
  'Outlook in German': {
    header:
      'Anrede,Vorname,Weitere Vornamen,Nachname,Suffix,Firma,Abteilung,Position,Straße geschäftlich,Straße geschäftlich 2,Straße geschäftlich 3,Ort geschäftlich,Region geschäftlich,Postleitzahl geschäftlich,Land/Region geschäftlich,Straße privat,Ort privat,Bundesland/Kanton privat,Postleitzahl privat,Land/Region privat,Weitere Straße,Telefon geschäftlich,Telefon (privat),Mobiltelefon,E-Mail-Adresse,E-Mail 2: Adresse,Notizen,Geburtstag',
    expected: {
      // The export has no ID, so the user is asked for one.
      id: null,
      ...{ firstName: 'Vorname', lastName: 'Nachname', employers: ['Firma'] },
      addresses: [
        ...['Straße privat', 'Postleitzahl privat', 'Ort privat', 'Bundesland/Kanton privat'],
        'Land/Region privat',
      ],
    },
  },
  'Outlook in French': {
    header:
      'Titre,Prénom,Deuxième prénom,Nom,Suffixe,Société,Service,Titre,Rue (bureau),Rue (bureau) 2,Rue (bureau) 3,Ville (bureau),Dép/Région (bureau),Code postal (bureau),Pays/Région (bureau),Rue (domicile),Ville (domicile),Dép/Région (domicile),Code postal (domicile),Pays/Région (domicile),Rue (autre),Téléphone (bureau),Téléphone (domicile),Tél. mobile,Adresse de messagerie,Page Web,Notes',
    expected: {
      id: null,
      ...{ firstName: 'Prénom', lastName: 'Nom', employers: ['Société'] },
      addresses: [
        ...['Rue (domicile)', 'Code postal (domicile)', 'Ville (domicile)'],
        ...['Dép/Région (domicile)', 'Pays/Région (domicile)'],
      ],
    },
  },
  'Google Contacts': {
    header:
      'First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address',
    expected: {
      id: null,
      ...{ firstName: 'First Name', lastName: 'Last Name', employers: ['Organization Name'] },
      addresses: [
        ...['Address 1 - Street', 'Address 1 - Extended Address', 'Address 1 - City'],
        ...['Address 1 - Region', 'Address 1 - Postal Code', 'Address 1 - Country'],
      ],
    },
  },
};

describe('the columns of an export', () => {
  it.each(Object.entries(EXPORTS))('of %s are the right ones', (name, { header, expected }) => {
    expect(guessColumns(header.split(','))).toMatchObject({ ...expected, exportOf: name });
  });

  it('are known in any case, and with accents that are written in two characters', () => {
    const header = 'TITRE,PRÉNOM,Nom,Société,rue (domicile)'.normalize('NFD').split(',');
    expect(guessColumns(header)).toMatchObject({
      ...{ exportOf: 'Outlook in French', firstName: header[1], addresses: [header[4]] },
    });
  });

  it.each([
    ['Mitgliedsnummer;Vorname;Nachname;Straße;PLZ;Ort;Land;Arbeitgeber;Verstorben', 5],
    ['Identifiant;Prénom;Nom;Adresse;Code postal;Ville;Pays;Employeur;Décédé', 4],
  ])('of a list in another language are known by words (%s)', (text, parts) => {
    const header = text.split(';');
    const guess = guessColumns(header);
    expect(guess).toMatchObject({ id: header[0], firstName: header[1], lastName: header[2] });
    expect(guess.addresses.length).toBeGreaterThanOrEqual(Math.min(parts, 4));
    expect(guess).toMatchObject({ employers: [header[7]], deceased: header[8] });
  });

  it.each(['Home Address', 'Mailing Address', 'Full address', 'Primary_Address'])(
    'are known with the whole address in one column, %s',
    (name) => {
      const columns = ['Constituent ID', 'Name', name, 'Email Address', 'Do Not Contact'];
      expect(guessColumns(columns)).toMatchObject({ addresses: [name], fullName: 'Name' });
    },
  );

  it('are not guessed from what belongs to others: household ids and account names', () => {
    const header = 'Household ID,Account Name,Spouse First Name,Spouse Last Name,Gift ID'.split(
      ',',
    );
    expect(guessColumns(header)).toMatchObject({
      ...{ id: null, firstName: null, lastName: null, fullName: null, employers: [] },
    });
  });
});
