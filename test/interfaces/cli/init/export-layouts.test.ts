import { describe, expect, it } from 'vitest';
import { type ColumnGuess, guessColumns } from '../../../../src/clients/setup/csv-columns.ts';
import type { CsvSample } from '../../../../src/clients/setup/csv-header.ts';

interface Layout {
  header: string;
  /** The vendor's page that documents the column names. Omitted if the header was written from memory. */
  page?: string;
  /** Fictional rows. Omitted if no guess depends on them. */
  rows?: readonly string[];
  expected: Partial<ColumnGuess>;
}

/** Layouts of files that no product is known to export. Some of them look like a known export. */
const LAYOUTS: Record<string, Layout> = {
  NationBuilder: {
    page: 'http://nationbuilder.com/what_fields_are_available_for_imports',
    header:
      'nationbuilder_id,email_opt_in,prefix,first_name,middle_name,last_name,suffix,legal_name,employer,occupation,sex,is_deceased,born_at,phone_number,note,household_size',
    expected: {
      ...{ id: 'nationbuilder_id', firstName: 'first_name', lastName: 'last_name' },
      ...{ addresses: [], employers: ['employer'], deceased: 'is_deceased', optOut: null },
    },
  },
  'Donor Tools': {
    page: 'https://classic-guide.donortools.com/importing-data/07-supported-fields',
    header:
      'First Name,Last Name,Middle Name,Prefix,Suffix,Whole Name,Salutation,Recognition Name,Email Address,Phone Number,Note,Street Address,Street Address2,City,State,Postal Code,Country,Exclude From Mailings',
    expected: {
      ...{ id: null, firstName: 'First Name', lastName: 'Last Name', fullName: null },
      addresses: ['Street Address', 'Street Address2', 'City', 'State', 'Postal Code', 'Country'],
      ...{ employers: [], optOut: null, doNotContact: null },
    },
  },
  Donarius: {
    page: 'https://donarius.com/Help/x9su7e.htm',
    header:
      "Donor #,Envelope #,Donor's Full Name,Donor's First Name,Donor's Middle Name,Donor's Surname,First line of address,Second line of address,City,Province/State,Postal/Zip Code,Country,Salutation,Spouse and/or Children,Title,Company Name",
    expected: {
      ...{ id: 'Donor #', firstName: "Donor's First Name", lastName: "Donor's Surname" },
      addresses: [
        ...['First line of address', 'Second line of address', 'City', 'Province/State'],
        ...['Postal/Zip Code', 'Country'],
      ],
      employers: ['Company Name'],
    },
  },
  'Fellowship One': {
    page: 'https://docs.port.church/giving-import/providers/fellowshipone',
    header:
      'Contributor_ID,Contributor_Name,Preferred_Phone,Preferred_Email,Street_1,Street_2,City,State_Province,Postal_Code,Contributor_Type',
    expected: {
      ...{ id: 'Contributor_ID', firstName: null, lastName: null, fullName: 'Contributor_Name' },
      addresses: ['Street_1', 'Street_2', 'City', 'State_Province', 'Postal_Code'],
    },
  },
  'Virtuous, which has the columns of CiviCRM that CiviCRM is known by': {
    header:
      'Contact Id,Contact Type,Individual Id,First Name,Last Name,Address Line 1,Address Line 2,City,State,Postal,Country,Deceased',
    rows: [
      '70,Household,1,A,B,,,,,,,No',
      '70,Household,2,C,B,,,,,,,No',
      '71,Household,3,D,E,,,,,,,No',
    ],
    expected: {
      ...{ id: 'Individual Id', firstName: 'First Name', lastName: 'Last Name' },
      addresses: ['Address Line 1', 'Address Line 2', 'City', 'State', 'Postal', 'Country'],
      ...{ deceased: 'Deceased', exportOf: null },
    },
  },
  'Bloomerang, with a column Status': {
    header:
      'Account Number,Status,First Name,Last Name,Primary Street,Primary City,Primary State,Primary ZIP Code,Employer',
    expected: {
      ...{ id: 'Account Number', employers: ['Employer'], exportOf: null },
      addresses: ['Primary Street', 'Primary City', 'Primary State', 'Primary ZIP Code'],
    },
  },
  'Little Green Light, with numbered streets': {
    header: 'LGL Constituent ID,First Name,Last Name,Street 1,Street 2,City,State,Zip,Employer',
    expected: {
      addresses: ['Street 1', 'Street 2', 'City', 'State', 'Zip'],
      employers: ['Employer'],
    },
  },
  eTapestry: {
    header: 'Account Number,First Name,Last Name,Address Lines,City,State,Postal Code,Country',
    expected: { addresses: ['Address Lines', 'City', 'State', 'Postal Code', 'Country'] },
  },
  'DonorPerfect, with an employer': {
    header: 'donor_id,first_name,last_name,address,city,state,zip,employer',
    expected: { exportOf: 'DonorPerfect', employers: ['employer'] },
  },
  'a German CRM, which has the columns that Outlook is known by': {
    header: 'ID;Vorname;Nachname;Straße;PLZ;Ort;Firma;Verstorben',
    expected: {
      ...{ id: 'ID', firstName: 'Vorname', lastName: 'Nachname', employers: ['Firma'] },
      ...{ addresses: ['Straße', 'Ort', 'PLZ'], deceased: 'Verstorben', exportOf: null },
    },
  },
};

/** Headers in several languages, which we wrote ourselves. */
const LANGUAGES: Record<string, { header: string; expected: Partial<ColumnGuess> }> = {
  English: lines(
    'Member ID;First Name;Last Name;Street;City;ZIP Code;Country;Employer;Deceased;Do Not Contact;Opted Out',
  ),
  German: lines(
    'Mitgliedsnummer;Vorname;Nachname;Straße;Ort;PLZ;Land;Arbeitgeber;Verstorben;Kein Kontakt;Widerspruch',
  ),
  French: lines(
    'Identifiant;Prénom;Nom;Rue;Ville;Code postal;Pays;Employeur;Décédé;Ne pas contacter;Opposition',
  ),
  Spanish: lines(
    'Número de socio;Nombre;Apellidos;Dirección;Ciudad;Código postal;País;Empresa;Fallecido;No contactar;Oposición',
  ),
  Italian: lines(
    'Codice donatore;Nome;Cognome;Indirizzo;Città;CAP;Paese;Azienda;Deceduto;Non contattare;Opposizione',
  ),
  Portuguese: lines(
    'Número de sócio;Nome;Apelido;Morada;Localidade;Código postal;País;Empregador;Falecido;Não contactar;Oposição',
  ),
  Dutch: lines(
    'Relatienummer;Voornaam;Achternaam;Adres;Woonplaats;Postcode;Land;Werkgever;Overleden;Niet benaderen;Bezwaar',
  ),
  Swedish: lines(
    'Medlemsnummer;Förnamn;Efternamn;Adress;Ort;Postnummer;Land;Arbetsgivare;Avliden;Ej kontakt;Motsätter sig',
  ),
  Danish: lines(
    'Medlemsnummer;Fornavn;Efternavn;Vej;By;Postnr;Land;Arbejdsgiver;Afdød;Må ikke kontaktes;Reservation',
  ),
  Norwegian: lines(
    'Medlemsnummer;Fornavn;Etternavn;Gateadresse;Poststed;Postnummer;Land;Arbeidsgiver;Avdød;Kontakt ikkje;Reservation',
  ),
  Finnish: lines(
    'Jäsennumero;Etunimi;Sukunimi;Katuosoite;Postitoimipaikka;Postinumero;Maa;Työnantaja;Kuollut;Ei saa ottaa yhteyttä;Vastustaa',
  ),
  Polish: lines(
    'Numer darczyńcy;Imię;Nazwisko;Ulica;Miasto;Kod pocztowy;Kraj;Pracodawca;Zmarły;Nie kontaktować;Sprzeciw',
  ),
};

describe('the columns of a layout', () => {
  it.each(Object.entries(LAYOUTS))('of %s are the right ones', (_, { header, rows, expected }) => {
    const names = split(header);
    const sample: CsvSample = (rows ?? []).map(
      (row) => new Map(split(row).map((value, at) => [names[at] ?? '', value])),
    );
    expect(guessColumns(names, sample)).toMatchObject(expected);
  });

  it.each(Object.entries(LANGUAGES))('in %s are the right ones', (_, { header, expected }) => {
    expect(guessColumns(split(header))).toMatchObject(expected);
  });

  it('are known in twelve languages at least', () => {
    expect(Object.keys(LANGUAGES).length).toBeGreaterThanOrEqual(12);
  });

  it('have no id in a column that two rows share, or that a row leaves out', () => {
    const names = ['Donor ID', 'Legacy ID', 'First Name', 'Last Name'];
    const sample = (rows: string[][]): CsvSample =>
      rows.map((row) => new Map(names.map((name, at) => [name, row[at] ?? ''])));
    expect(
      guessColumns(
        names,
        sample([
          ['7', 'a'],
          ['7', 'b'],
        ]),
      ).id,
    ).toBe('Legacy ID');
    expect(
      guessColumns(
        names,
        sample([
          ['7', 'a'],
          ['', 'b'],
        ]),
      ).id,
    ).toBe('Legacy ID');
    expect(
      guessColumns(
        names,
        sample([
          ['7', 'a'],
          ['7', 'a'],
        ]),
      ).id,
    ).toBe(null);
    expect(
      guessColumns(
        names,
        sample([
          ['7', 'a'],
          ['8', 'a'],
        ]),
      ).id,
    ).toBe('Donor ID');
  });
});

/** Lists as charities write them in their own languages, with fictional rows. */
const LISTS: Record<
  string,
  { header: string; rows: readonly string[]; expected: Partial<ColumnGuess> }
> = {
  German: {
    header:
      'Kundennr.;Anrede;Vorname;Name;Straße;Hausnummer;PLZ;Ort;Land;Arbeitgeber;Verstorben;Kontaktsperre',
    rows: ['101;Frau;Jörg;Groß;Hauptstraße;5a;01067;Dresden;Deutschland;Müller GmbH;Nein;Ja'],
    expected: {
      ...{ id: 'Kundennr.', firstName: 'Vorname', lastName: 'Name', deceased: 'Verstorben' },
      addresses: ['Straße', 'Hausnummer', 'Ort', 'PLZ', 'Land'],
      ...{ employers: ['Arbeitgeber'], doNotContact: 'Kontaktsperre' },
    },
  },
  French: {
    header:
      'N° adhérent;Civilité;Nom;Prénom;Adresse 1;Adresse 2;Code postal;Ville;Pays;Employeur;Décédé;Ne pas contacter',
    rows: [
      'A7;Mme;Lefèvre;Zoé;3, rue de la Paix;Bât. B;75002;Paris;France;Mairie de Paris;Non;Oui',
    ],
    expected: {
      ...{ id: 'N° adhérent', firstName: 'Prénom', lastName: 'Nom', deceased: 'Décédé' },
      addresses: ['Adresse 1', 'Adresse 2', 'Ville', 'Code postal', 'Pays'],
      ...{ employers: ['Employeur'], doNotContact: 'Ne pas contacter' },
    },
  },
  Spanish: {
    header:
      'Código,Nombre,Apellidos,Dirección,Código Postal,Población,Provincia,País,Empresa,Fallecido,No contactar',
    rows: ['C1,Íñigo,García López,Calle Mayor 5,28013,Madrid,Madrid,España,Banco Sur,No,Sí'],
    expected: {
      ...{ id: 'Código', firstName: 'Nombre', lastName: 'Apellidos', deceased: 'Fallecido' },
      addresses: ['Dirección', 'Población', 'Provincia', 'Código Postal', 'País'],
      ...{ employers: ['Empresa'], doNotContact: 'No contactar' },
    },
  },
  Italian: {
    header:
      'Codice;Cognome;Nome;Indirizzo;CAP;Città;Prov;Nazione;Datore di lavoro;Deceduto;Non contattare',
    rows: ['1;Rossi;Niccolò;Via Roma 7;00184;Roma;RM;Italia;Azienda SpA;No;Sì'],
    expected: {
      ...{ id: 'Codice', firstName: 'Nome', lastName: 'Cognome', deceased: 'Deceduto' },
      addresses: ['Indirizzo', 'Città', 'Prov', 'CAP', 'Nazione'],
      ...{ employers: ['Datore di lavoro'], doNotContact: 'Non contattare' },
    },
  },
  Dutch: {
    header:
      'Relatienummer;Voornaam;Achternaam;Straat;Huisnummer;Toevoeging;Postcode;Woonplaats;Land;Werkgever;Overleden;Niet benaderen',
    rows: ['77;Joost;van Dijk;Laan;12;A;1011 AB;Amsterdam;Nederland;Bank BV;Nee;Ja'],
    expected: {
      ...{ id: 'Relatienummer', firstName: 'Voornaam', lastName: 'Achternaam' },
      addresses: ['Straat', 'Huisnummer', 'Toevoeging', 'Woonplaats', 'Postcode', 'Land'],
      ...{ employers: ['Werkgever'], deceased: 'Overleden', doNotContact: 'Niet benaderen' },
    },
  },
  Portuguese: {
    header:
      'Nº Sócio;Nome;Apelido;Morada;Código Postal;Localidade;País;Entidade patronal;Falecido;Não contactar',
    rows: ['12;João;Conceição;Rua do Sol 3;1100-148;Lisboa;Portugal;Fábrica Lda;Não;Sim'],
    expected: {
      ...{ id: 'Nº Sócio', firstName: 'Nome', lastName: 'Apelido', deceased: 'Falecido' },
      addresses: ['Morada', 'Localidade', 'Código Postal', 'País'],
      ...{ employers: ['Entidade patronal'], doNotContact: 'Não contactar' },
    },
  },
  Swedish: {
    header: 'Medlemsnr;Förnamn;Efternamn;Adress;Postnr;Ort;Land;Arbetsgivare;Avliden;Kontakta ej',
    rows: ['9;Åsa;Öberg;Storgatan 4;114 55;Stockholm;Sverige;Skola AB;Nej;Ja'],
    expected: {
      ...{ id: 'Medlemsnr', firstName: 'Förnamn', lastName: 'Efternamn', deceased: 'Avliden' },
      addresses: ['Adress', 'Ort', 'Postnr', 'Land'],
      ...{ employers: ['Arbetsgivare'], doNotContact: 'Kontakta ej' },
    },
  },
};

describe('lists of charities in their own language', () => {
  it.each(Object.entries(LISTS))('%s', (_, { header, rows, expected }) => {
    const names = split(header);
    const sample = rows.map(
      (row) => new Map(split(row).map((value, at) => [names[at] ?? '', value])),
    );
    expect(guessColumns(names, sample)).toMatchObject(expected);
  });
});

function split(line: string): string[] {
  return line.split(line.includes(';') ? ';' : ',');
}

function lines(header: string): { header: string; expected: Partial<ColumnGuess> } {
  const [id = '', firstName = '', lastName = '', street = '', city = '', zip = '', country = ''] =
    split(header);
  const [employer = '', deceased = '', doNotContact = '', optOut = ''] = split(header).slice(7);
  return {
    header,
    expected: {
      ...{ id, firstName, lastName, fullName: null, addresses: [street, city, zip, country] },
      ...{ employers: [employer], deceased, doNotContact, optOut },
    },
  };
}
