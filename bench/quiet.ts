/** A stack that makes no AWS call for this long has done everything. */
export const quietMilliseconds = 300;
