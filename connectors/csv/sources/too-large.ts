export const TOO_LARGE = 'it is too large to be read as a workbook; save the sheet as "CSV UTF-8"';
