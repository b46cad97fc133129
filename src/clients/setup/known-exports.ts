/** The column names of exports from donor databases. */

export interface KnownExport {
  name: string;
  knownBy: readonly string[];
  /**
   * The ID columns. If they are omitted, no column of the export identifies the contacts, and the user has to choose a
   * column.
   */
  id?: readonly string[];
  firstName: readonly string[];
  lastName: readonly string[];
  fullName?: readonly string[];
  /**
   * The columns of the addresses, in the order in which people write an address. The first address with a value is
   * used.
   */
  addresses: readonly (readonly string[])[];
  /** Columns that contain employers. These columns never contain the organisation that the row describes. */
  employers: readonly string[];
  /** A note that users see before they spend credits. */
  advice?: string;
}

export const KNOWN_EXPORTS: readonly KnownExport[] = [
  {
    name: "Raiser's Edge",
    knownBy: ['CnBio_First_Name', 'CnBio_Last_Name'],
    id: ['CnBio_ID'],
    firstName: ['CnBio_First_Name'],
    lastName: ['CnBio_Last_Name'],
    addresses: [
      [
        ...['CnAdrPrf_Addrline1', 'CnAdrPrf_Addrline2', 'CnAdrPrf_City', 'CnAdrPrf_State'],
        ...['CnAdrPrf_ZIP', 'CnAdrPrf_ContryLongDsc'],
      ],
    ],
    employers: [],
  },
  {
    name: 'Bloomerang',
    knownBy: ['Account Number', 'Account Status'],
    id: ['Account Number'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    addresses: [
      ['Primary Street', 'Primary City', 'Primary State', 'Primary ZIP Code', 'Primary Country'],
      ['Street', 'City', 'State', 'ZIP Code', 'Country'],
    ],
    employers: ['Employer'],
    advice:
      'In Bloomerang, "Account Status" marks deceased contacts: leave them out of the export, or set contacts.optOutField to it and contacts.optOutValues to [Deceased].',
  },
  {
    name: 'DonorPerfect',
    knownBy: ['donor_id', 'first_name', 'last_name'],
    id: ['donor_id'],
    firstName: ['first_name'],
    lastName: ['last_name'],
    addresses: [['address', 'address2', 'city', 'state', 'zip', 'country']],
    employers: [],
  },
  {
    name: 'Little Green Light',
    knownBy: ['LGL Constituent ID'],
    id: ['LGL Constituent ID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    fullName: ['Full Name'],
    addresses: [
      [
        ...['Pref. Street', 'Pref. City', 'Pref. State/Province', 'Pref. Zip/Postal Code'],
        'Pref. Country',
      ],
    ],
    employers: [],
  },
  {
    name: 'Neon CRM',
    knownBy: ['Account ID', 'Full Name (F)'],
    id: ['Account ID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    fullName: ['Full Name (F)'],
    addresses: [
      ['Address Line 1', 'Address Line 2', 'City', 'State/Province', 'Zip Code', 'Country'],
    ],
    employers: ['Company Name'],
  },
  {
    name: 'HubSpot',
    knownBy: ['Record ID', 'First Name', 'Last Name'],
    id: ['Record ID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    addresses: [['Street Address', 'City', 'State/Region', 'Postal Code', 'Country/Region']],
    employers: ['Company Name'],
  },
  {
    name: 'a Salesforce report',
    knownBy: ['Contact ID', 'First Name', 'Mailing Street'],
    id: ['Contact ID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    addresses: [
      [
        ...['Mailing Street', 'Mailing City', 'Mailing State/Province'],
        ...['Mailing Zip/Postal Code', 'Mailing Country'],
      ],
    ],
    // For most people, "Account Name" is the name of their household.
    employers: [],
  },
  {
    name: 'Mailchimp',
    knownBy: ['Email Address', 'MEMBER_RATING'],
    id: ['LEID', 'EUID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    addresses: [['Address']],
    employers: ['Company'],
  },
  {
    name: 'CiviCRM',
    knownBy: ['Contact ID', 'Contact Type'],
    id: ['Contact ID'],
    firstName: ['First Name'],
    lastName: ['Last Name'],
    fullName: ['Sort Name', 'Display Name'],
    addresses: [
      [
        ...['Street Address', 'Supplemental Address 1', 'Supplemental Address 2'],
        ...['City', 'State', 'Postal Code', 'Country'],
      ],
    ],
    employers: ['Current Employer'],
  },
  {
    name: 'Outlook in German',
    knownBy: ['Vorname', 'Nachname', 'Firma'],
    firstName: ['Vorname'],
    lastName: ['Nachname'],
    addresses: [
      [
        ...['Straße privat', 'Straße privat 2', 'Straße privat 3', 'Postleitzahl privat'],
        ...['Ort privat', 'Bundesland/Kanton privat', 'Land/Region privat'],
      ],
      [
        ...['Straße geschäftlich', 'Straße geschäftlich 2', 'Straße geschäftlich 3'],
        ...['Postleitzahl geschäftlich', 'Ort geschäftlich', 'Region geschäftlich'],
        'Land/Region geschäftlich',
      ],
    ],
    employers: ['Firma'],
  },
  {
    name: 'Outlook in French',
    knownBy: ['Prénom', 'Nom', 'Société'],
    firstName: ['Prénom'],
    lastName: ['Nom'],
    addresses: [
      [
        ...[
          'Rue (domicile)',
          'Rue (domicile) 2',
          'Rue (domicile) 3',
          'Code postal (domicile)',
          'Ville (domicile)',
        ],
        ...['Dép/Région (domicile)', 'Pays/Région (domicile)'],
      ],
      [
        ...[
          'Rue (bureau)',
          'Rue (bureau) 2',
          'Rue (bureau) 3',
          'Code postal (bureau)',
          'Ville (bureau)',
        ],
        ...['Dép/Région (bureau)', 'Pays/Région (bureau)'],
      ],
    ],
    employers: ['Société'],
  },
  {
    name: 'Google Contacts',
    knownBy: ['Name Prefix', 'Name Suffix', 'Address 1 - Street'],
    firstName: ['First Name', 'Given Name'],
    lastName: ['Last Name', 'Family Name'],
    addresses: [
      [
        ...['Address 1 - Street', 'Address 1 - Extended Address', 'Address 1 - City'],
        'Address 1 - Region',
        ...['Address 1 - Postal Code', 'Address 1 - Country'],
      ],
    ],
    employers: ['Organization Name', 'Organization 1 - Name'],
  },
];
