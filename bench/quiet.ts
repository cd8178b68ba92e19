/** A stack that makes no AWS call for this long has finished its work. */
export const quietMilliseconds = 300;
