/** Creates tax returns in the format of the IRS, with invented organisations and people. */

/** A person that a return lists in Part VII, IV or VIII. */
export interface FiledPerson {
  name: string;
  title: string;
  hours?: number;
  pay?: number;
  /** The boxes that are ticked in Part VII, such as `OfficerInd`. */
  boxes?: string[];
}

export interface Filing {
  form: '990' | '990EZ' | '990PF';
  ein?: string;
  organisation?: string;
  year?: number;
  people: FiledPerson[];
  /** The amount of the paid grants. */
  grants?: number;
  version?: string;
  isAmended?: boolean;
  /** The day on which the return was filed. */
  filed?: string;
  /** Text that the file contains before the end of the return, for example a very long text. */
  more?: string;
}

/** Returns the XML of a Form 990 return. */
export function form990({
  form,
  ein = '364400001',
  organisation = 'LAKE VIEW FOOD BANK INC',
  year = 2024,
  people,
  grants = 0,
  version = '2024v5.2',
  isAmended = false,
  filed = `${year + 1}-05-14`,
  more = '',
}: Filing): string {
  const body = { '990': bodyOf990, '990EZ': bodyOfEz, '990PF': bodyOfPf }[form](people, grants);
  return `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" returnVersion="${version}">
  <ReturnHeader binaryAttachmentCnt="0">
    <ReturnTs>${filed}T09:00:29-05:00</ReturnTs>
    <TaxPeriodEndDt>${year}-12-31</TaxPeriodEndDt>
    <PreparerFirmGrp>
      <PreparerUSAddress><AddressLine1Txt>1 OTHER ST</AddressLine1Txt></PreparerUSAddress>
    </PreparerFirmGrp>
    <ReturnTypeCd>${form}</ReturnTypeCd>
    <TaxPeriodBeginDt>${year}-01-01</TaxPeriodBeginDt>
    <Filer>
      <EIN>${ein}</EIN>
      <BusinessName><BusinessNameLine1Txt>${organisation}</BusinessNameLine1Txt></BusinessName>
      <USAddress>
        <AddressLine1Txt>12 HARBOR ST</AddressLine1Txt><CityNm>CHICAGO</CityNm>
        <StateAbbreviationCd>IL</StateAbbreviationCd><ZIPCd>606110001</ZIPCd>
      </USAddress>
    </Filer>
    <BusinessOfficerGrp><PersonNm>SIGNING OFFICER</PersonNm></BusinessOfficerGrp>
    <TaxYr>${year}</TaxYr>
  </ReturnHeader>
  <ReturnData documentCnt="1">
    ${isAmended ? body.replace(/(<IRS990[^>]*>)/, '$1<AmendedReturnInd>X</AmendedReturnInd>') : body}
    ${more}
  </ReturnData>
</Return>
`;
}

function bodyOf990(people: readonly FiledPerson[], grants: number): string {
  const groups = people.map(
    ({ name, title, hours = 1, pay = 0, boxes = ['IndividualTrusteeOrDirectorInd'] }) =>
      `<Form990PartVIISectionAGrp>
        <PersonNm>${name}</PersonNm><TitleTxt>${title}</TitleTxt>
        <AverageHoursPerWeekRt>${hours}.00</AverageHoursPerWeekRt>
        ${boxes.map((box) => `<${box}>X</${box}>`).join('')}
        <ReportableCompFromOrgAmt>${pay}</ReportableCompFromOrgAmt>
        <ReportableCompFromRltdOrgAmt>0</ReportableCompFromRltdOrgAmt>
        <OtherCompensationAmt>0</OtherCompensationAmt>
      </Form990PartVIISectionAGrp>`,
  );
  return `<IRS990 documentId="IRS990">
    <CYGrantsAndSimilarPaidAmt>${grants}</CYGrantsAndSimilarPaidAmt>${groups.join('\n')}
  </IRS990>`;
}

function bodyOfEz(people: readonly FiledPerson[]): string {
  const groups = people.map(
    ({ name, title, hours = 1, pay = 0 }) =>
      `<OfficerDirectorTrusteeEmplGrp>
        <PersonNm referenceDocumentId="A1">${name}</PersonNm><TitleTxt>${title}</TitleTxt>
        <AverageHrsPerWkDevotedToPosRt>${hours}.00</AverageHrsPerWkDevotedToPosRt>
        <CompensationAmt>${pay}</CompensationAmt>
        <EmployeeBenefitProgramAmt>0</EmployeeBenefitProgramAmt>
        <ExpenseAccountOtherAllwncAmt>0</ExpenseAccountOtherAllwncAmt>
      </OfficerDirectorTrusteeEmplGrp>`,
  );
  return `<IRS990EZ documentId="IRS990EZ">${groups.join('\n')}</IRS990EZ>`;
}

function bodyOfPf(people: readonly FiledPerson[], grants: number): string {
  const groups = people.map(
    ({ name, title, hours = 1, pay = 0 }) =>
      `<OfficerDirTrstKeyEmplGrp>
        <PersonNm>${name}</PersonNm>
        <USAddress>
          <AddressLine1Txt>12 HARBOR ST</AddressLine1Txt><CityNm>CHICAGO</CityNm>
          <StateAbbreviationCd>IL</StateAbbreviationCd><ZIPCd>606110001</ZIPCd>
        </USAddress>
        <TitleTxt>${title}</TitleTxt>
        <AverageHrsPerWkDevotedToPosRt>${hours}.00</AverageHrsPerWkDevotedToPosRt>
        <CompensationAmt>${pay}</CompensationAmt>
      </OfficerDirTrstKeyEmplGrp>`,
  );
  return `<IRS990PF documentId="IRS990PF">
    <AnalysisOfRevenueAndExpenses>
      <ContriPaidDsbrsChrtblAmt>${grants}</ContriPaidDsbrsChrtblAmt>
    </AnalysisOfRevenueAndExpenses>
    <OfficerDirTrstKeyEmplInfoGrp>${groups.join('\n')}</OfficerDirTrstKeyEmplInfoGrp>
  </IRS990PF>`;
}
