kernel void k(void) {}
}  //~ error[extraneous-brace]: extraneous '}': it closes nothing
