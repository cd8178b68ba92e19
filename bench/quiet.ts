/** Time without an AWS call after which a stack has finished its work. */
export const quietMilliseconds = 300;
